import type { Values } from '../component/field.ts';
import { list, string } from '../component/field-types.ts';
import { isListOfServers, type Schemes } from '../component/server-address.ts';
import { tls } from '../component/tls-fields.ts';

export const amqpSchemes: Schemes = { amqp: { port: 5672 }, amqps: { port: 5671, usesTls: true } };

/** How every component of AMQP connects to a broker. */
export const amqpFields = {
  urls: list(
    'The brokers; the first that can be connected to is used.',
    string('A URL, such as `amqp://user:password@host:5672/vhost`; `amqps://` for TLS.'),
  )
    .secret()
    .check(isListOfServers(amqpSchemes, 'amqp://host:5672/')),
  tls: tls('TLS of the connection.').advanced(),
};

export type AmqpValues = Values<typeof amqpFields>;
