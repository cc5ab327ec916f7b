// Names of metrics that appear in messages.

export const openStreamsMetric = 'tallystick_open_streams'
