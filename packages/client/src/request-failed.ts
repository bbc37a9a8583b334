import { Failure } from '@weir/core';
import { errorByCode } from '@weir/wire';

/** A broker answered with an error. */
export class KafkaRequestFailed extends Failure {
  override readonly name = 'KafkaRequestFailed';
  readonly code: number;
  /** `UNKNOWN_TOPIC_OR_PARTITION`, or `error 200` for a code that this client does not know. */
  readonly errorName: string;
  /** Whether the problem may disappear by itself. */
  readonly transient: boolean;
  /** Whether the same request may be sent again. */
  readonly retriable: boolean;

  /**
   * `subject` is what the request was about: `topic orders, partition 3`. `detail` is the broker's error message, if
   * any. `isFinal` marks a request that must not be retried although its error code allows it.
   */
  constructor(subject: string, code: number, detail?: string | null, { isFinal = false } = {}) {
    const known = errorByCode(code);
    const errorName = known?.name ?? `error ${code}`;
    const text = detail || (known?.message ?? 'Unknown error code.');
    super(`${subject}: ${errorName}: ${text}`);
    this.code = code;
    this.errorName = errorName;
    this.transient = known?.retriable ?? false;
    this.retriable = !isFinal && this.transient;
  }
}
