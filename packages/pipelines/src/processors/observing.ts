import { textOf, type Value } from '@weir/bloblang';
import type { LogFields } from '@weir/core';
import type { ComponentContext } from '../component/component-context.ts';
import { componentOf } from '../component/component-spec.ts';
import { reasonOf } from '../component/failures.ts';
import { interpolated, map, mapping, oneOf, string } from '../component/field-types.ts';
import type { Interpolated } from '../component/interpolated.ts';
import type { Batch } from '../component/message.ts';
import { pipelineLimits } from '../limits.ts';

const levels = {
  FATAL: 'error',
  ERROR: 'error',
  WARN: 'warn',
  INFO: 'info',
  DEBUG: 'debug',
  TRACE: 'debug',
  ALL: 'debug',
} as const;

const short = (text: string) => text.slice(0, pipelineLimits.logCharsMax);

function fieldsOf(value: Value): LogFields {
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype)
    throw new Error('fields_mapping has to make an object');
  const entries = Object.entries(value as { readonly [key: string]: Value })
    .slice(0, pipelineLimits.logFieldsMax)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(
    entries.map(([key, field]) => [
      short(key),
      typeof field === 'number' || typeof field === 'boolean' || field === null
        ? field
        : short(textOf(field)),
    ]),
  );
}

const log = componentOf('processor', {
  name: 'log',
  about: 'Logs a line for each message.',
  fields: {
    level: oneOf('How important the line is.', [
      'FATAL',
      'ERROR',
      'WARN',
      'INFO',
      'DEBUG',
      'TRACE',
      'ALL',
    ]).or('INFO'),
    fields_mapping: mapping('Makes an object whose fields the line gets.').optional(),
    message: interpolated('The text of the line.').or(''),
    fields: map('Fields of the line.', interpolated('The value.'))
      .optional()
      .deprecated('use fields_mapping'),
  },
  open({ level, fields_mapping: fieldsMapping, message, fields }, context) {
    const { log: target, mappingPorts } = context;
    const write = target[levels[level]].bind(target);
    const logged = (batch: Batch, index: number) => {
      const mapped = fieldsMapping?.apply(batch[index]!, { batch, index }, mappingPorts);
      const given = [...(fields ?? [])].slice(0, pipelineLimits.logFieldsMax);
      write('logged by the pipeline', {
        ...(mapped?.kind === 'value' && fieldsOf(mapped.value)),
        ...Object.fromEntries(
          given.map(([name, text]) => [name, short(text.text(batch, index, mappingPorts))]),
        ),
        text: short(message.text(batch, index, mappingPorts)),
      });
    };
    return {
      process(batch) {
        for (let index = 0; index < batch.length; index++) {
          try {
            logged(batch, index);
          } catch (error) {
            target.error('failed to log a message', { error: reasonOf(error) });
          }
        }
        return [batch];
      },
    };
  },
});

const kinds = { counter: 'counter', counter_by: 'counter', gauge: 'gauge', timing: 'timing' } as const;

/** A value of a metric: a number that is not negative. */
function amountOf(type: keyof typeof kinds, text: string): number {
  if (type === 'counter') return 1;
  const amount = text.trim() === '' ? Number.NaN : Number(text);
  if (!Number.isFinite(amount)) throw new Error(`the value of a metric is not a number: ${text}`);
  if (amount < 0) throw new Error('the value of a metric is negative');
  if (type === 'timing' && !Number.isInteger(amount))
    throw new Error('a timing is a whole number of nanoseconds');
  return amount;
}

/** Counts for the labels of messages, as long as there are not too many of them. */
class LabelledMetric {
  readonly #labels: readonly (readonly [name: string, value: Interpolated])[];
  readonly #context: ComponentContext;
  readonly #known = new Set<string>();

  constructor(labels: ReadonlyMap<string, Interpolated>, context: ComponentContext) {
    this.#labels = [...labels].toSorted(([a], [b]) => (a < b ? -1 : 1));
    this.#context = context;
  }

  labelsOf(batch: Batch, index: number): Record<string, string> {
    const { mappingPorts } = this.#context;
    const found = this.#labels.map(([name, value]) => [
      name,
      value.text(batch, index, mappingPorts).slice(0, 256),
    ]);
    const key = JSON.stringify(found);
    if (!this.#known.has(key)) {
      if (this.#known.size >= pipelineLimits.metricSeriesMax)
        throw new Error(`the metric has more than ${pipelineLimits.metricSeriesMax} combinations of labels`);
      this.#known.add(key);
    }
    return Object.fromEntries(found) as Record<string, string>;
  }
}

const metric = componentOf('processor', {
  name: 'metric',
  about: 'Counts messages, or values of messages, in a metric of your own.',
  fields: {
    type: oneOf('What is done with the value; `counter` counts messages.', [
      'counter',
      'counter_by',
      'gauge',
      'timing',
    ]),
    name: string('Of the metric.').check((name) =>
      name === '' || name.length > 200 ? 'has 1 to 200 characters' : undefined,
    ),
    labels: map('Labels and their values.', interpolated('The value.')).optional(),
    value: interpolated('The value; a number that is not negative.').or(''),
  },
  open({ type, name, labels, value }, context) {
    const labelled = new LabelledMetric(labels ?? new Map(), context);
    return {
      process(batch) {
        for (let index = 0; index < batch.length; index++) {
          try {
            const amount = amountOf(type, value.text(batch, index, context.mappingPorts));
            context.metrics.custom(kinds[type], name, labelled.labelsOf(batch, index), amount);
          } catch (error) {
            context.log.error('failed to count a message', { error: reasonOf(error) });
          }
        }
        return [batch];
      },
    };
  },
});

export const observingProcessors = [log, metric];
