/** How many serving threads the rows about threads compare. */
export const threadCounts = [1, 2, 4, 8] as const;
export type ThreadCount = (typeof threadCounts)[number];

/**
 * The contenders. Kafka with flush.messages=1 syncs every batch; it is the same server with another topic. Those with a
 * number of threads and those on S3 have servers of their own, in rows of their own.
 */
export const sideNames = {
  kafka: 'Kafka',
  'kafka-flush': 'Kafka, flush.messages=1',
  playground: 'Weir on disk',
  local: 'Weir in memory',
  tansu: 'tansu in memory',
  'threads-1': '1 thread',
  'threads-2': '2 threads',
  'threads-4': '4 threads',
  'threads-8': '8 threads',
  'tansu-s3': 'tansu on S3',
  agent: 'Weir on S3',
} as const;

export type SideId = keyof typeof sideNames;

export const sideIds = Object.keys(sideNames) as SideId[];

/** Whom the others of a row are compared with; the first of these that takes part. */
const baseSides = ['kafka', 'threads-1', 'tansu-s3'] as const satisfies readonly SideId[];
const comparedSides: ReadonlySet<SideId> = new Set<SideId>([
  'playground',
  'local',
  'threads-2',
  'threads-4',
  'threads-8',
  'agent',
]);

/** The side that ratios of a row refer to, and those that have one. */
export function comparedOf(
  sides: readonly SideId[],
): { readonly base: SideId; readonly compared: readonly SideId[] } | undefined {
  const base = baseSides.find((side) => sides.includes(side));
  return base === undefined
    ? undefined
    : { base, compared: sides.filter((side) => comparedSides.has(side) && side !== base) };
}
