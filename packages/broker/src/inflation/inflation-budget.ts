import { wireLimits } from '@weir/wire/limits';
import { brokerLimits } from '../limits.ts';

/**
 * Limits what all requests together inflate on the serving thread in one turn of the event loop, whatever their number
 * of connections.
 */
export class TurnBudget {
  readonly #bytesMax: number;
  #bytesLeft: number;
  #isRenewing = false;

  constructor(bytesMax: number = brokerLimits.inflatedPerTurnBytesMax) {
    this.#bytesMax = bytesMax;
    this.#bytesLeft = bytesMax;
  }

  get bytesLeft(): number {
    return this.#bytesLeft;
  }

  /** `later` calls back in a later turn. */
  spend(bytes: number, later: (run: () => void) => void): void {
    this.#bytesLeft = Math.max(0, this.#bytesLeft - bytes);
    if (this.#isRenewing) return;
    this.#isRenewing = true;
    later(() => {
      this.#isRenewing = false;
      this.#bytesLeft = this.#bytesMax;
    });
  }
}

/** Inflation budget of a connection, shared by all of its requests. */
export interface ConnectionBudget {
  readonly isSpent: boolean;
  spend(inflatedBytes: number, compressedBytes: number): void;
}

interface InflationBudgetOptions {
  /** Size of the batches as received. */
  readonly requestBytes: number;
  readonly turn: TurnBudget;
  readonly connection: ConnectionBudget;
  readonly atOnceBytesMax?: number;
  /** Calls back in a later turn. */
  readonly later: (run: () => void) => void;
  /**
   * Receives the inflated bytes, and whether they were inflated on the serving thread (`atOnce`) or off it
   * (`offThread`).
   */
  readonly onInflated?: ((bytes: number, where: 'atOnce' | 'offThread') => void) | undefined;
}

/** Limits what the batches of one request inflate to together, and how much of that on the serving thread. */
export class InflationBudget {
  readonly #options: InflationBudgetOptions;
  #bytesLeft: number;
  #atOnceBytesLeft: number;
  #isUntouched = true;

  constructor(options: InflationBudgetOptions) {
    this.#options = options;
    this.#atOnceBytesLeft = options.atOnceBytesMax ?? brokerLimits.inflatedAtOnceBytesMax;
    this.#bytesLeft = Math.max(
      brokerLimits.inflatedRequestBytesMax,
      brokerLimits.inflatedRequestTimesMax * options.requestBytes,
    );
  }

  /**
   * Returns what the next batch may inflate to, for a topic with records of up to `recordBytesMax`. The first batch
   * always has room for one such record.
   */
  bytesFor(recordBytesMax: number): number {
    const bytes = this.#isUntouched ? Math.max(this.#bytesLeft, recordBytesMax) : this.#bytesLeft;
    return Math.min(bytes, wireLimits.decompressedBatchBytesMax);
  }

  get atOnceBytes(): number {
    if (this.#options.connection.isSpent) return 0;
    return Math.min(this.#atOnceBytesLeft, this.#bytesLeft, this.#options.turn.bytesLeft);
  }

  /**
   * `compressedBytes` is the size of the batch as received. `work` is what checking its records cost beside, as the
   * bytes that take as long to inflate.
   */
  spend(bytes: number, compressedBytes: number, work = 0): void {
    const { connection, onInflated } = this.#options;
    this.#isUntouched = false;
    this.#bytesLeft = Math.max(0, this.#bytesLeft - bytes);
    connection.spend(withWork(bytes, work), compressedBytes);
    onInflated?.(bytes, 'offThread');
  }

  /** `work` is what it cost the serving thread, as the bytes that take as long to inflate. */
  spendAtOnce(bytes: number, compressedBytes: number, work: number = bytes): void {
    const { turn, connection, later, onInflated } = this.#options;
    this.#atOnceBytesLeft = Math.max(0, this.#atOnceBytesLeft - work);
    this.#bytesLeft = Math.max(0, this.#bytesLeft - bytes);
    turn.spend(work, later);
    connection.spend(withWork(bytes, work), compressedBytes);
    onInflated?.(bytes, 'atOnce');
  }
}

/** What counts for a connection: its bytes, or work that is beyond what records of so many bytes usually take. */
function withWork(bytes: number, work: number): number {
  return Math.max(bytes, work - brokerLimits.validatedFreeWorkPerByte * bytes);
}
