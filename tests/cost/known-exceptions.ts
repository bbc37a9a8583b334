/** An input that is known to cost more than the limit, until it is corrected. */
interface KnownException {
  readonly listener: string;
  readonly seed: string;
  readonly reason: string;
  /** Processor time above which it fails all the same. */
  readonly ceilingMs: number;
}

export const knownExceptions: readonly KnownException[] = [
  {
    listener: 'rpc',
    seed: 'a nested body',
    reason:
      'the body of a frame is parsed before its nesting is known; 1.3 million levels take 150 ms, with a key',
    ceilingMs: 300,
  },
  {
    listener: 'rpc',
    seed: 'a body with distinct names',
    reason: 'the body of a frame is parsed at once; 135,000 names take 96 ms, with a key',
    ceilingMs: 200,
  },
];
