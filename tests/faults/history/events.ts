/** A record that a client wants written. Every value is written under its own name, so that each read finds its write. */
export interface Written {
  readonly topic: string;
  readonly partition: number;
  readonly value: string;
  readonly producer: string;
  /** The transaction that it belongs to, where there is one. */
  readonly transaction?: string;
  /** The record that it was made of, by a consumer that copies with its offsets in the same transaction. */
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

/** What clients did and were told, in the order in which it happened to them. */
export type FaultEvent = { readonly atMs: number } & (
  | ({ readonly type: 'write' } & Written)
  | {
      readonly type: 'acknowledge';
      readonly topic: string;
      readonly partition: number;
      readonly value: string;
      readonly offset: number;
    }
  /** A commit is asked for, then acknowledged. A transaction whose commit was never asked for must stay invisible. */
  | { readonly type: 'askCommit' | 'committed' | 'aborted'; readonly transaction: string }
  | {
      readonly type: 'read';
      readonly reader: string;
      /** Whether the reader read everything after all faults had ended. */
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
      /** Whether it was asked for after everything was done. */
      readonly isLast: boolean;
    } & GroupPosition)
);
