import { wireLimits } from '@weir/wire/limits';
import { agentLimits } from '../limits.ts';

/** What all requests may inflate at once before others get their turn, however many connections they come from. */
export class TurnBudget {
  readonly #bytesMax: number;
  #bytesLeft: number;
  #isRenewing = false;

  constructor(bytesMax: number = agentLimits.inflatedPerTurnBytesMax) {
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

/** What the connection of the request may inflate, in all of its requests. */
export interface ConnectionBudget {
  readonly isSpent: boolean;
  spend(inflatedBytes: number, compressedBytes: number): void;
}

interface InflationBudgetOptions {
  /** The batches as they came. */
  readonly requestBytes: number;
  readonly turn: TurnBudget;
  readonly connection: ConnectionBudget;
  readonly atOnceBytesMax?: number;
  /** Calls back in a later turn. */
  readonly later: (run: () => void) => void;
  /** Told what was inflated, and where. */
  readonly onInflated?: ((bytes: number, where: 'atOnce' | 'aside') => void) | undefined;
}

/** What the batches of one request may inflate to together, and how much of that before others get their turn. */
export class InflationBudget {
  readonly #options: InflationBudgetOptions;
  #bytesLeft: number;
  #atOnceBytesLeft: number;
  #isUntouched = true;

  constructor(options: InflationBudgetOptions) {
    this.#options = options;
    this.#atOnceBytesLeft = options.atOnceBytesMax ?? agentLimits.inflatedAtOnceBytesMax;
    this.#bytesLeft = Math.max(
      agentLimits.inflatedRequestBytesMax,
      agentLimits.inflatedRequestTimesMax * options.requestBytes,
    );
  }

  /** What another batch may inflate to, of a topic that takes records of so many bytes. The first has room for one of them in any case. */
  bytesFor(recordBytesMax: number): number {
    const bytes = this.#isUntouched ? Math.max(this.#bytesLeft, recordBytesMax) : this.#bytesLeft;
    return Math.min(bytes, wireLimits.decompressedBatchBytesMax);
  }

  get atOnceBytes(): number {
    if (this.#options.connection.isSpent) return 0;
    return Math.min(this.#atOnceBytesLeft, this.#bytesLeft, this.#options.turn.bytesLeft);
  }

  /** `compressedBytes` is the size of the batch as it came. */
  spend(bytes: number, compressedBytes: number): void {
    const { connection, onInflated } = this.#options;
    this.#isUntouched = false;
    this.#bytesLeft = Math.max(0, this.#bytesLeft - bytes);
    connection.spend(bytes, compressedBytes);
    onInflated?.(bytes, 'aside');
  }

  spendAtOnce(bytes: number, compressedBytes: number): void {
    const { turn, connection, later, onInflated } = this.#options;
    this.#atOnceBytesLeft = Math.max(0, this.#atOnceBytesLeft - bytes);
    this.#bytesLeft = Math.max(0, this.#bytesLeft - bytes);
    turn.spend(bytes, later);
    connection.spend(bytes, compressedBytes);
    onInflated?.(bytes, 'atOnce');
  }
}
