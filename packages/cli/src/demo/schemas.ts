import type { SchemaType } from '@weir/registry';
import type { DemoTopicName } from './topics.ts';

/** A subject of the registry of the demo: `<topic>-value`. */
interface DemoSubject {
  readonly type: SchemaType;
  /** Its own level; that of the registry if absent. */
  readonly compatibility?: 'BACKWARD' | 'FULL' | 'NONE';
  /** Its versions, the oldest first. Producers write with the last one. */
  readonly versions: readonly string[];
}

/** The topics whose values have a schema. */
export type SchemaTopic = Exclude<DemoTopicName, 'audit-trail' | 'large-orders' | 'product-views'>;

const timestamp = { type: 'long', logicalType: 'timestamp-millis' };

/** The fields of an order, in the order in which versions of the schema added them. */
const orderFields = [
  { name: 'order_id', type: 'string' },
  { name: 'customer_id', type: 'string' },
  { name: 'total_cents', type: 'long' },
  { name: 'placed_at', type: timestamp },
  { name: 'currency', type: 'string', default: 'EUR' },
  {
    name: 'items',
    type: {
      type: 'array',
      items: avroRecord('Item', [
        { name: 'sku', type: 'string' },
        { name: 'quantity', type: 'int' },
        { name: 'price_cents', type: 'long' },
      ]),
    },
    default: [],
  },
];

const paymentFields = [
  { name: 'payment_id', type: 'string' },
  { name: 'order_id', type: 'string' },
  { name: 'method', type: { type: 'enum', name: 'Method', symbols: ['CARD', 'INVOICE', 'VOUCHER'] } },
  { name: 'amount_cents', type: 'long' },
  { name: 'paid_at', type: timestamp },
  { name: 'country', type: 'string', default: '' },
];

/** The schemas, in all three formats. `page-views` accepts any schema, so that a diagnostic fails. */
export const demoSubjects: Readonly<Record<SchemaTopic, DemoSubject>> = {
  orders: {
    type: 'AVRO',
    compatibility: 'BACKWARD',
    versions: [4, 5, 6].map((count) => avro('Order', orderFields.slice(0, count))),
  },
  payments: {
    type: 'AVRO',
    compatibility: 'FULL',
    versions: [5, 6].map((count) => avro('Payment', paymentFields.slice(0, count))),
  },
  ledger: {
    type: 'AVRO',
    versions: [
      avro('Posting', [
        { name: 'payment_id', type: 'string' },
        { name: 'account', type: 'string' },
        { name: 'amount_cents', type: 'long' },
      ]),
    ],
  },
  customers: {
    type: 'AVRO',
    versions: [
      avro('Customer', [
        { name: 'customer_id', type: 'string' },
        { name: 'name', type: 'string' },
        { name: 'city', type: 'string' },
        { name: 'orders', type: 'int' },
      ]),
    ],
  },
  'page-views': {
    type: 'JSON',
    compatibility: 'NONE',
    versions: [
      jsonObject('PageView', {
        session_id: { type: 'string' },
        customer_id: { type: 'string' },
        path: { type: 'string' },
        device: { enum: ['phone', 'desktop', 'kiosk'] },
        duration_ms: { type: 'integer', minimum: 0 },
        viewed_at: { type: 'integer' },
      }),
    ],
  },
  shipments: {
    type: 'JSON',
    versions: [
      jsonObject('Shipment', {
        shipment_id: { type: 'string' },
        order_id: { type: 'string' },
        carrier: { type: 'string' },
        status: { enum: ['packed', 'sent', 'delivered'] },
      }),
    ],
  },
  inventory: {
    type: 'PROTOBUF',
    versions: [
      [
        'syntax = "proto3";',
        'package shop;',
        'message StockLevel {',
        '  string sku = 1;',
        '  int32 quantity = 2;',
        '  string warehouse = 3;',
        '}',
        '',
      ].join('\n'),
    ],
  },
};

export const schemaTopics = Object.keys(demoSubjects) as readonly SchemaTopic[];

/** By the default strategy of serializers. */
export function subjectOf(topic: SchemaTopic): string {
  return `${topic}-value`;
}

function avroRecord(name: string, fields: readonly object[]): object {
  return { type: 'record', name, namespace: 'shop', fields };
}

function avro(name: string, fields: readonly object[]): string {
  return JSON.stringify(avroRecord(name, fields));
}

function jsonObject(title: string, properties: Readonly<Record<string, object>>): string {
  return JSON.stringify({
    $schema: 'http://json-schema.org/draft-07/schema#',
    title,
    type: 'object',
    properties,
    required: Object.keys(properties),
    additionalProperties: false,
  });
}
