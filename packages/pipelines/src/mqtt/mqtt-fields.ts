import { object, type Values } from '../component/field.ts';
import { bool, durationMs, int, list, oneOf, string } from '../component/field-types.ts';
import { isListOfServers, type Schemes } from '../component/server-address.ts';
import { tls } from '../component/tls-fields.ts';

const plain = { port: 1883 };
const secure = { port: 8883, usesTls: true };
export const mqttSchemes: Schemes = {
  tcp: plain,
  mqtt: plain,
  ssl: secure,
  tls: secure,
  tcps: secure,
  mqtts: secure,
};

export const isQos = (qos: number) =>
  qos === 0 || qos === 1 || qos === 2 ? undefined : 'has to be 0, 1 or 2';

/** How every component of MQTT connects to a broker. */
export const mqttFields = {
  urls: list(
    'The brokers; the first that can be connected to is used.',
    string('A URL, such as `tcp://localhost:1883`; `ssl://` for TLS.'),
  )
    .secret()
    .check(isListOfServers(mqttSchemes, 'tcp://host:1883 or ssl://host:8883')),
  client_id: string('The name of the client.').or(''),
  dynamic_client_id_suffix: oneOf('What each run of the pipeline appends to `client_id`.', ['', 'nanoid'])
    .or('')
    .advanced(),
  connect_timeout: durationMs('How long connecting may take.').or('30s'),
  will: object('A message that the broker publishes if the connection breaks.', {
    enabled: bool('Whether there is one.').or(false),
    qos: int('Its QoS: 0, 1 or 2.').or(0).check(isQos),
    retained: bool('Whether it is kept for the topic.').or(false),
    topic: string('Its topic.').or(''),
    payload: string('Its content.').or(''),
  }).advanced(),
  user: string('The user.').or('').advanced(),
  password: string('The password.').or('').secret().advanced(),
  keepalive: int('Seconds after which a silent connection is checked; 0 is never.')
    .or(30)
    .check((seconds) => (seconds < 0 || seconds > 65_535 ? 'has to be from 0 to 65535' : undefined))
    .advanced(),
  tls: tls('TLS of the connection.').advanced(),
};

export type MqttValues = Values<typeof mqttFields>;
