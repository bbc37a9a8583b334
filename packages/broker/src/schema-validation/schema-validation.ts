import type { Clock, Metrics } from '@weir/core';
import { PayloadWork, type SchemaCache } from '@weir/registry/decoding';
import { BatchSchemaCheck } from './batch-schema-check.ts';
import type { SchemaRules } from './schema-rules.ts';
import { type InvalidReason, invalidRecordsRow } from './validation-metrics.ts';

interface SchemaValidationOptions {
  readonly cache: SchemaCache;
  readonly clock: Clock;
  readonly metrics: Metrics;
  /** Called with each topic and reason of invalid records in a batch, whether they are refused or accepted. */
  readonly onInvalid: (topic: string, reason: InvalidReason, count: number) => void;
}

/** Checks records of topics that demand it against the schemas that they name. */
export class SchemaValidation {
  readonly #options: SchemaValidationOptions;

  constructor(options: SchemaValidationOptions) {
    this.#options = options;
  }

  /** What checking the records of one request may cost. */
  work(): PayloadWork {
    return new PayloadWork();
  }

  /** The check of one batch. */
  check(topic: string, rules: SchemaRules, work: PayloadWork): BatchSchemaCheck {
    const { cache, clock, metrics, onInvalid } = this.#options;
    return new BatchSchemaCheck({
      topic,
      rules,
      cache,
      work,
      nowMs: clock.monotonicMs(),
      onInvalid: (reason, count) => {
        metrics.series(invalidRecordsRow, { topic, reason }).add(count);
        onInvalid(topic, reason, count);
      },
    });
  }
}
