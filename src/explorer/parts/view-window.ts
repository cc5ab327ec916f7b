// What part of a large picture a frame shows: fitted, zoomed around a point, moved. Sizes of the frame are in pixels, places
// are those of the picture.
export type Size = { readonly width: number; readonly height: number }
/** `x` and `y` of the picture are at the upper left of the frame; `scale` is pixels per unit. */
export type ViewWindow = { readonly x: number; readonly y: number; readonly scale: number }

const scaleMax = 3

/** The whole picture in the middle, never larger than it is. */
export function fitted(picture: Size, frame: Size): ViewWindow {
  const scale = Math.min(1, frame.width / picture.width, frame.height / picture.height)
  return middled({ scale, x: 0, y: 0 }, picture, frame)
}

/** The point of the frame stays where it is. */
export function zoomed(
  view: ViewWindow,
  factor: number,
  at: { readonly x: number; readonly y: number },
  picture: Size,
  frame: Size,
): ViewWindow {
  const smallest = fitted(picture, frame).scale
  const scale = Math.min(scaleMax, Math.max(smallest, view.scale * factor))
  const x = view.x + at.x / view.scale - at.x / scale
  const y = view.y + at.y / view.scale - at.y / scale
  return middled({ scale, x, y }, picture, frame)
}

/** By pixels of the frame, not beyond the edges of the picture. */
export function moved(view: ViewWindow, dx: number, dy: number, picture: Size, frame: Size): ViewWindow {
  return middled({ ...view, x: view.x + dx / view.scale, y: view.y + dy / view.scale }, picture, frame)
}

/** A picture smaller than its frame is in the middle; a larger one leaves no room at its edges. */
function middled({ x, y, scale }: ViewWindow, picture: Size, frame: Size): ViewWindow {
  const place = (at: number, length: number, room: number) =>
    room >= length ? (length - room) / 2 : Math.min(length - room, Math.max(0, at))
  return {
    scale,
    x: place(x, picture.width, frame.width / scale),
    y: place(y, picture.height, frame.height / scale),
  }
}
