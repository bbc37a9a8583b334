import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { outputOf } from '../../child-output.ts';
import type { PythonOf } from '../../python/venv.ts';
import type { ForeignClient, Way } from '../foreign-clients.ts';

/** A newer librdkafka than that of kcat, which fetches its OAuth tokens itself. */
export function librdkafkaClient({ missing, python }: PythonOf): ForeignClient {
  return {
    label: 'librdkafka 2.16',
    cannot: () => missing,
    async writeAndRead(broker, way, topic, values) {
      const child = spawn(python!, [join(import.meta.dirname, 'write_and_read.py')], {
        timeout: 90_000,
        killSignal: 'SIGKILL',
      });
      const input = JSON.stringify({ config: configOf(broker, way), topic, values });
      const { status, out, err } = await outputOf(child, input);
      if (status !== 0) throw new Error(`librdkafka ended with ${status}: ${err.slice(-2_000)}`);
      return JSON.parse(out) as readonly string[];
    },
  };
}

function configOf(broker: string, { caFile, own, login }: Way): Readonly<Record<string, string>> {
  const channel = caFile === undefined ? 'PLAINTEXT' : 'SSL';
  const config: Record<string, string> = {
    'bootstrap.servers': broker,
    'security.protocol': login === undefined ? channel : `SASL_${channel}`,
  };
  if (caFile !== undefined) config['ssl.ca.location'] = caFile;
  if (own !== undefined) {
    config['ssl.certificate.location'] = own.certificateFile;
    config['ssl.key.location'] = own.keyFile;
  }
  if (login === undefined) return config;
  config['sasl.mechanism'] = login.mechanism;
  if (login.mechanism === 'OAUTHBEARER') {
    config['sasl.oauthbearer.method'] = 'oidc';
    config['sasl.oauthbearer.client.id'] = login.endpoint.clientId;
    config['sasl.oauthbearer.client.secret'] = login.endpoint.clientSecret;
    config['sasl.oauthbearer.token.endpoint.url'] = login.endpoint.url;
    config['sasl.oauthbearer.scope'] = 'kafka';
  } else {
    config['sasl.username'] = login.user;
    config['sasl.password'] = login.password;
  }
  return config;
}
