import { KiB } from '@weir/core';
import { Message } from '../packages/pipelines/src/component/message.ts';
import { OpenProcessors } from '../packages/pipelines/testing/run-processors.ts';
import { atLeast, type Benchmark, ms } from './benchmark.ts';
import { sideBySide } from './side-by-side.ts';

const batchSize = 200;
export const benchMapping = `root = this
root.big = this.amount > 100
root.customer.name = this.customer.name.uppercase()`;

/** An order of 1 KiB. */
export function benchDocument(): string {
  const items = Array.from({ length: 6 }, (_, index) => ({
    sku: `SKU-${index}`,
    price: 10.25 + index,
    quantity: index,
    description: 'A thing of beauty',
  }));
  const order = { id: 12345, customer: { name: 'Ada', tags: ['a', 'b'] }, amount: 99.5, items, note: '' };
  const missing = KiB - JSON.stringify(order).length;
  return JSON.stringify({ ...order, note: 'x'.repeat(missing) });
}

/** A processor with a mapping, from bytes to bytes, beside the parser and the printer of the runtime. */
export const pipelineMapping: Benchmark = {
  name: 'pipeline-mapping',
  async run(effort) {
    const text = benchDocument();
    const bytes = Buffer.from(text);
    const processors = await OpenProcessors.open(`- mapping: ${JSON.stringify(benchMapping)}`);
    const map = async () => {
      const batch = Array.from({ length: batchSize }, () => Message.of(Buffer.from(bytes)));
      let size = 0;
      for (const mapped of await processors.processBatch(batch))
        for (const message of mapped) size += message.content.length;
      if (size < batchSize * KiB) throw new Error('messages are missing');
    };
    const parseAndPrint = () => {
      let size = 0;
      for (let index = 0; index < batchSize; index++)
        size += Buffer.from(JSON.stringify(JSON.parse(Buffer.from(bytes).toString()))).length;
      if (size !== batchSize * KiB) throw new Error('the sizes differ');
    };
    const outcome = await sideBySide(
      { name: 'mapping', run: map },
      { name: 'JSON.parse and JSON.stringify', run: parseAndPrint },
      effort,
    );
    await processors.close();
    return [
      {
        what: 'processor mapping, messages of 1 KiB',
        result: Math.round((batchSize / outcome.subjectMs) * 1000),
        unit: '/s',
        bar: atLeast(150_000),
        detail: `${ms(outcome.subjectMs / batchSize)} each`,
      },
      {
        what: 'processor mapping, messages of 1 KiB: JSON.parse and JSON.stringify / mapping',
        result: outcome.referenceOverSubject,
        unit: 'x',
        bar: atLeast(0.6),
        detail: `${ms(outcome.referenceMs / batchSize)} / ${ms(outcome.subjectMs / batchSize)}`,
      },
    ];
  },
};
