import { buildRecordBatch } from '@weir/wire';
import { avroFormat } from '../packages/registry/src/avro/avro-format.ts';

/** An order, as records in practice are: strings, numbers, options, an array of records. */
const order = {
  type: 'record',
  name: 'Order',
  fields: [
    { name: 'id', type: 'string' },
    { name: 'customer', type: 'long' },
    { name: 'placed', type: { type: 'long', logicalType: 'timestamp-millis' } },
    { name: 'total', type: 'double' },
    { name: 'state', type: { type: 'enum', name: 'State', symbols: ['OPEN', 'PAID', 'SENT'] } },
    { name: 'coupon', type: ['null', 'string'] },
    {
      name: 'lines',
      type: {
        type: 'array',
        items: {
          type: 'record',
          name: 'Line',
          fields: [
            { name: 'sku', type: 'string' },
            { name: 'count', type: 'int' },
            { name: 'price', type: 'double' },
          ],
        },
      },
    },
    { name: 'note', type: 'string' },
  ],
};

export const orderSchema = JSON.stringify(order);

/** A batch of orders of about 1 KiB each, with the id of their schema. */
export function orderBatch(records: number, schemaId: number): Buffer {
  const codec = avroFormat.codec(avroFormat.parse({ text: orderSchema, references: [] }));
  const head = Buffer.alloc(5);
  head.writeInt32BE(schemaId, 1);
  const values = Array.from({ length: records }, (_, index) => {
    const lines = Array.from({ length: 12 }, (_, line) => ({
      sku: `sku-${index}-${line}-${'0'.repeat(20)}`,
      count: line + 1,
      price: 9.99 * line,
    }));
    const value = codec.encode({
      id: `order-${index}-${'a'.repeat(30)}`,
      customer: 1_000_000 + index,
      placed: 1_700_000_000_000 + index,
      total: 123.45,
      state: 'PAID',
      coupon: null,
      lines,
      note: 'x'.repeat(440),
    });
    return { timestamp: 0n, key: null, value: Buffer.concat([head, value]) };
  });
  return buildRecordBatch(values);
}
