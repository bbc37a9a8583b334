import type { Values } from '../component/field.ts';
import { list, string } from '../component/field-types.ts';
import type { Reading, TextPlace } from '../component/reading.ts';
import { isListOfServers, type Schemes } from '../component/server-address.ts';
import { tls } from '../component/tls-fields.ts';
import { authFields } from './nats-auth.ts';

export const natsSchemes: Schemes = { nats: { port: 4222 }, tls: { port: 4222, usesTls: true } };

/** How every component of NATS connects to it. */
export const natsFields = {
  urls: list(
    'The servers; the first that can be connected to is used. Servers that these name are not.',
    string('A URL, such as `nats://user:password@host:4222`; `tls://` for TLS.'),
  )
    .secret()
    .check(isListOfServers(natsSchemes, 'nats://host:4222')),
  tls: tls('TLS of the connection.').advanced(),
  auth: authFields,
};

export type NatsValues = Values<typeof natsFields>;

/** A login needs both halves. */
export function checkLogin({ auth }: Partial<NatsValues>, reading: Reading, place: TextPlace): void {
  if (auth?.user_jwt === undefined || auth.user_nkey_seed === undefined) return;
  if ((auth.user_jwt === '') !== (auth.user_nkey_seed === ''))
    reading.problem(place, 'auth needs user_jwt and user_nkey_seed together');
}
