// Names of metrics that messages speak of.

export const openStreamsMetric = 'tallystick_open_streams'
