/** A record that a client sends. Every value is unique, so that each read identifies its write. */
export interface Written {
  readonly topic: string;
  readonly partition: number;
  readonly value: string;
  readonly producer: string;
  /** Its place among others is promised only once it is acknowledged. */
  readonly isUnorderedUntilAcknowledged?: true;
  /** Its transaction, if any. */
  readonly transaction?: string;
  /** The source record, for a consumer that copies and commits its offsets in the same transaction. */
  readonly source?: Source;
}

export interface Source {
  readonly group: string;
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
}

export interface GroupPosition {
  readonly group: string;
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
}

/** What clients did and which answers they received, in the order in which they observed it. */
export type FaultEvent = { readonly atMs: number } & (
  | ({ readonly type: 'write' } & Written)
  | {
      readonly type: 'acknowledge';
      readonly topic: string;
      readonly partition: number;
      readonly value: string;
      /** Lightning topics do not say it. */
      readonly offset?: number;
    }
  /** A commit is requested, then acknowledged. A transaction without a commit request must stay invisible. */
  | { readonly type: 'askCommit' | 'committed' | 'aborted'; readonly transaction: string }
  | {
      readonly type: 'read';
      readonly reader: string;
      /** Whether this is the final read, after all faults ended. */
      readonly isLast: boolean;
      readonly topic: string;
      readonly partition: number;
      readonly offset: number;
      readonly value: string;
    }
  | ({ readonly type: 'commitOffset'; readonly call: number; readonly generationId: number } & GroupPosition)
  | { readonly type: 'offsetsCommitted'; readonly call: number }
  | { readonly type: 'fetchOffsets'; readonly call: number }
  | ({
      readonly type: 'offsetFetched';
      readonly call: number;
      /** Whether it was fetched after all work was done. */
      readonly isLast: boolean;
    } & GroupPosition)
);
