/** Releases to avoid, with their known defects. Numbers are those of `v<N>`. */
export interface AvoidedReleases {
  readonly from: number;
  readonly to: number;
  /** `undefined` when none was published. */
  readonly reason?: string | undefined;
  /** The first release with the fix, if one is named. */
  readonly fixedIn?: number | undefined;
}

export const avoidedReleases: readonly AvoidedReleases[] = [
  { from: 643, to: 646, fixedIn: 647 },
  { from: 688, to: 688, reason: 'uses path-style object URLs', fixedIn: 689 },
  { from: 711, to: 711, fixedIn: 712 },
  { from: 737, to: 743, reason: 'can fail to start on hosts with many CPUs', fixedIn: 744 },
  { from: 739, to: 739, reason: 'fails to start with some C libraries', fixedIn: 740 },
  { from: 750, to: 750, fixedIn: 751 },
  { from: 762, to: 762, reason: 'consumers may skip records' },
  { from: 796, to: 796, reason: 'corrupts Protobuf records ingested into tables', fixedIn: 797 },
  {
    from: 803,
    to: 803,
    reason: 'skips SASL for migration and table sources over TLS without mTLS',
    fixedIn: 804,
  },
];

/** Returns the number of `v<N>`; `undefined` for anything else, such as a private build. */
export function releaseNumber(release: string): number | undefined {
  const digits = /^v(\d{1,9})$/.exec(release)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** Returns the reasons to avoid a release; empty if there are none. */
export function reasonsToAvoid(release: string): readonly AvoidedReleases[] {
  const number = releaseNumber(release);
  return number === undefined ? [] : avoidedReleases.filter(({ from, to }) => from <= number && number <= to);
}
