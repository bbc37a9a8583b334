/** The contenders. Kafka with flush.messages=1 syncs every batch; it is the same server with another topic. */
export const sideNames = {
  kafka: 'Kafka',
  'kafka-flush': 'Kafka, flush.messages=1',
  playground: 'Weir on disk',
  local: 'Weir in memory',
  tansu: 'tansu in memory',
} as const;

export type SideId = keyof typeof sideNames;

export const sideIds = Object.keys(sideNames) as SideId[];
