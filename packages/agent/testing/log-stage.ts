import type { TestContext } from 'node:test';
import { integerField, messageField, textField } from '@weir/core/testing';
import { httpStage } from './http-stage.ts';

/** Headers of bodies. */
export const json = { 'content-type': 'application/json' };
export const protobuf = { 'content-type': 'application/x-protobuf' };
export const timeNs = 1_700_000_000_123_456_789n;
export const timeText = '2023-11-14T22:13:20.123456789Z';
export const timeMs = 1_700_000_000_123;

/** An agent whose topic for logs is `logs`, and a reader of it. */
export async function logStage(t: TestContext, differences: Parameters<typeof httpStage>[1] = {}) {
  const under = await httpStage(t, { logIntakeDefaultTopic: 'logs', ...differences });
  const { cluster, call } = under;
  cluster.addTopic('logs');
  return {
    ...under,
    async records(topic = 'logs') {
      const query = {
        topics: [{ topic, partitions: [{ partition: 0, fetch_offset: 0, partition_max_bytes: 1 << 26 }] }],
      };
      const { json: fetched } = await call('POST', '/v1/kafka/fetch', query);
      const decoded = (text: string | null) =>
        text === null ? null : Buffer.from(text, 'base64').toString();
      // biome-ignore lint/suspicious/noExplicitAny: the JSON of a record, which assertions compare
      return (fetched.topics[0].partitions[0].records as any[]).map(({ timestamp, key, value, headers }) => ({
        timestamp,
        key: decoded(key),
        value: JSON.parse(decoded(value)!),
        protocol: decoded(headers[0].value),
      }));
    },
  };
}

export const stringValue = (text: string) => ({ stringValue: text });
export const otlpRequest = {
  resourceLogs: [
    {
      resource: {
        attributes: [
          { key: 'service.name', value: stringValue('shop') },
          { key: 'host.name', value: stringValue('h1') },
        ],
      },
      scopeLogs: [
        {
          scope: { name: 'lib', version: '1', attributes: [{ key: 's', value: { boolValue: true } }] },
          logRecords: [
            {
              timeUnixNano: String(timeNs),
              observedTimeUnixNano: String(timeNs + 1n),
              severityNumber: 9,
              severityText: 'INFO',
              body: stringValue('paid'),
              attributes: [
                { key: 'int', value: { intValue: '9007199254740993' } },
                { key: 'double', value: { doubleValue: 0.5 } },
                { key: 'list', value: { arrayValue: { values: [stringValue('a'), {}] } } },
                {
                  key: 'map',
                  value: { kvlistValue: { values: [{ key: '__proto__', value: stringValue('b') }] } },
                },
                { key: 'bytes', value: { bytesValue: 'AQI=' } },
              ],
              droppedAttributesCount: 2,
              flags: 1,
              traceId: '5B8EFFF798038103D269B633813FC60C',
              spanId: 'eee19b7ec3c1b174',
              eventName: 'payment',
            },
            { body: { kvlistValue: { values: [] } } },
          ],
        },
      ],
    },
  ],
};

/** The same request in protobuf. */
export function otlpBytes(): Buffer {
  const text = (value: string) => textField(1, value);
  const pair = (key: string, value: Buffer) => Buffer.concat([textField(1, key), messageField(2, value)]);
  const fixed64 = (number: number, value: bigint) => {
    const bytes = Buffer.alloc(9);
    bytes[0] = (number << 3) | 1;
    bytes.writeBigUInt64LE(value, 1);
    return bytes;
  };
  const double = Buffer.alloc(9);
  double[0] = (4 << 3) | 1;
  double.writeDoubleLE(0.5, 1);
  const resource = Buffer.concat([
    messageField(1, pair('service.name', text('shop'))),
    messageField(1, pair('host.name', text('h1'))),
  ]);
  const scope = Buffer.concat([
    textField(1, 'lib'),
    textField(2, '1'),
    messageField(3, pair('s', integerField(2, 1))),
  ]);
  const attributes = [
    pair('int', Buffer.from('188180808080808010', 'hex')),
    pair('double', double),
    pair(
      'list',
      messageField(5, Buffer.concat([messageField(1, text('a')), messageField(1, Buffer.alloc(0))])),
    ),
    pair('map', messageField(6, messageField(1, pair('__proto__', text('b'))))),
    pair('bytes', messageField(7, Buffer.from([1, 2]))),
  ];
  const first = Buffer.concat([
    fixed64(1, timeNs),
    integerField(2, 9),
    textField(3, 'INFO'),
    messageField(5, text('paid')),
    ...attributes.map((attribute) => messageField(6, attribute)),
    integerField(7, 2),
    Buffer.from([(8 << 3) | 5, 1, 0, 0, 0]),
    messageField(9, Buffer.from('5b8efff798038103d269b633813fc60c', 'hex')),
    messageField(10, Buffer.from('eee19b7ec3c1b174', 'hex')),
    fixed64(11, timeNs + 1n),
    textField(12, 'payment'),
  ]);
  const second = messageField(5, messageField(6, Buffer.alloc(0)));
  const scopeLogs = Buffer.concat([messageField(2, first), messageField(2, second), messageField(1, scope)]);
  return messageField(1, Buffer.concat([messageField(2, scopeLogs), messageField(1, resource)]));
}

/** `PushRequest` with one stream. */
export function lokiBytes(
  labels: string,
  lines: readonly { readonly line: string; readonly metadata?: [string, string] }[],
): Buffer {
  const entries = lines.map(({ line, metadata }) =>
    messageField(
      2,
      Buffer.concat([
        messageField(1, Buffer.concat([integerField(1, 1_700_000_000), integerField(2, 123_456_789)])),
        textField(2, line),
        ...(metadata === undefined
          ? []
          : [messageField(3, Buffer.concat([textField(1, metadata[0]), textField(2, metadata[1])]))]),
      ]),
    ),
  );
  return messageField(1, Buffer.concat([textField(1, labels), ...entries]));
}
