/**
 * What is wrong with the bytes of a committed range. `missing`: object not found. `short`: the object ends
 * before the range does. `corrupt`: the bytes exist, but are not the committed batches.
 */
const damageKinds = ['missing', 'short', 'corrupt'] as const;
export type DamageKind = (typeof damageKinds)[number];

export interface Damage {
  readonly kind: DamageKind;
  readonly fileId: string;
  /** The first offset that cannot be read, and the one after the last that may be affected. */
  readonly firstOffset: number;
  readonly nextOffset: number;
  /** Where the first unreadable batch begins in the file. */
  readonly byteStart: number;
}

/**
 * A range of the log that the store no longer holds as it was committed. The store itself answered: timeouts and
 * refusals are `StoreError`s and do not count as damage.
 */
export class DamagedRange extends Error {
  override readonly name = 'DamagedRange';
  readonly damage: Damage;

  constructor(damage: Damage, problem: string, options?: ErrorOptions) {
    const { fileId, byteStart, firstOffset, nextOffset } = damage;
    super(
      `file ${fileId} at byte ${byteStart}, offsets ${firstOffset} to ${nextOffset - 1}: ${problem}`,
      options,
    );
    this.damage = damage;
  }
}
