/**
 * Where each field of a record batch (magic 2) lies. All integers are big-endian.
 *
 *      0        8      12     16 17   21    23     27       35       43      51  53     57     61
 *      ├────────┼──────┼──────┼─┼────┼──┼──────┼────────┼────────┼────────┼──┼──────┼──────┼────────
 *      │ base   │length│leader│m│crc │at│ last │ base   │ max    │producer│ep│ base │record│ records …
 *      │ offset │      │epoch │ │    │tr│delta │ time   │ time   │ id     │  │ seq  │count │
 *      └────────┴──────┴──────┴─┴────┴──┴──────┴────────┴────────┴────────┴──┴──────┴──────┴────────
 *      ◄── a broker writes these ──►  ◄──────────────────── the CRC covers these ────────────────────►
 */
export const headerAt = {
  baseOffset: 0,
  /** The number of bytes after this field. */
  batchLength: 8,
  partitionLeaderEpoch: 12,
  magic: 16,
  crc: 17,
  attributes: 21,
  lastOffsetDelta: 23,
  baseTimestamp: 27,
  maxTimestamp: 35,
  producerId: 43,
  producerEpoch: 51,
  baseSequence: 53,
  recordCount: 57,
} as const;

export const headerBytes = 61;

/** The fields up to and including the length, which the length does not count. */
export const lengthOverheadBytes = headerAt.batchLength + 4;

/** Enough of a batch to know its length and its format. */
export const prefixBytes = headerAt.magic + 1;

/** The only format this code reads and writes. 0 and 1 are the message sets of clients before 2017. */
export const currentMagic = 2;

export const attributeBits = {
  codec: 0x07,
  logAppendTime: 0x08,
  transactional: 0x10,
  control: 0x20,
  deleteHorizon: 0x40,
} as const;

/** Length, attributes, timestamp delta, offset delta, key length, value length, header count: one byte each. */
export const recordBytesMin = 7;

/** `CreateTime`: the producer's clock. `LogAppendTime`: the broker's, which is then the batch's max timestamp. */
export type TimestampType = 'createTime' | 'logAppendTime';

/** The producer id of a batch from a producer that is not idempotent. */
export const noProducerId = -1n;
export const noProducerEpoch = -1;
export const noSequence = -1;

/** The leader epoch that a producer writes, because it does not know the real one. */
export const noLeaderEpoch = -1;
export const noTimestamp = -1n;
