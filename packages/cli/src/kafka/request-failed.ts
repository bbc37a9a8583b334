import { errorByCode } from '@weir/wire';
import { Failure } from '../failure.ts';

/** A broker answered with an error. */
export class KafkaRequestFailed extends Failure {
  override readonly name = 'KafkaRequestFailed';
  readonly code: number;
  /** `UNKNOWN_TOPIC_OR_PARTITION`, or `error 200` for a code that is newer than we are. */
  readonly errorName: string;
  /** Whether the trouble may pass by itself. */
  readonly transient: boolean;
  /** Whether the same request may be sent again, in the hope that it has. */
  readonly retriable: boolean;

  /**
   * `subject` is what the request was about: `topic orders, partition 3`. `detail` is what the broker said, if it did.
   * `isFinal` is for a request that must not be sent again although its error allows it.
   */
  constructor(subject: string, code: number, detail?: string | null, { isFinal = false } = {}) {
    const known = errorByCode(code);
    const errorName = known?.name ?? `error ${code}`;
    const said = detail || (known?.message ?? 'This release does not know the code.');
    super(`${subject}: ${errorName}: ${said}`);
    this.code = code;
    this.errorName = errorName;
    this.transient = known?.retriable ?? false;
    this.retriable = !isFinal && this.transient;
  }
}
