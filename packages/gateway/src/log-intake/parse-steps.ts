import { Pace } from '@weir/broker';
import { HttpProblem } from '@weir/http';
import { gatewayLimits } from '../limits.ts';

/** Bytes or characters that take as long as one step. */
const bytesPerStep = 256;
const { logIntakeStepsMax } = gatewayLimits;

/**
 * The work of parsing one request, whatever its protocol: a field, a blank line or an empty item is one step at least.
 * A small compressed body can be very much of it.
 */
export class ParseSteps {
  readonly #pace = new Pace();
  #total = 0;
  #mustPause = false;

  /** Counts steps, and what they read. Throws a problem if the request has too many. */
  spend(steps = 1, bytes = 0): void {
    const spent = steps + Math.floor(bytes / bytesPerStep);
    this.#total += spent;
    if (this.#total > logIntakeStepsMax)
      throw new HttpProblem(
        413,
        `The body has more than ${logIntakeStepsMax} lines, fields and values; send fewer at a time.`,
      );
    if (this.#pace.isOver(spent)) this.#mustPause = true;
  }

  /** Counts steps. Returns whether other requests should run before the next one. */
  isOver(steps = 1, bytes = 0): boolean {
    this.spend(steps, bytes);
    const mustPause = this.#mustPause;
    this.#mustPause = false;
    return mustPause;
  }
}
