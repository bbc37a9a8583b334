import type { Random } from '@weir/core';
import type { ComponentContext } from '../component/component-context.ts';
import { reasonOf } from '../component/failures.ts';
import { Reconnecting } from '../component/reconnecting.ts';
import { serverAddresses } from '../component/server-address.ts';
import { tlsOptionsOf } from '../component/tls-fields.ts';
import { type ConnectionOptions, MqttConnection } from './mqtt-connection.ts';
import { type MqttValues, mqttSchemes } from './mqtt-fields.ts';

export type MqttClient = Reconnecting<MqttConnection>;

interface Use extends Pick<ConnectionOptions, 'onMessage' | 'writeMsMax'> {
  readonly isClean: boolean;
  readonly onLost?: (error: Error) => void;
}

const nanoidChars = 'useandom-26T198340PX75pxJACKVERYMINDBUSHWOLF_GQZbfghjklqvwyzrict';

/** A connection to the first broker that can be connected to. */
export function mqttClient(fields: MqttValues, use: Use, context: ComponentContext): MqttClient {
  const { outbound, clock, random } = context;
  const { client_id, dynamic_client_id_suffix: suffix, will } = fields;
  const hello = {
    clientId: suffix === 'nanoid' ? `${client_id}${nanoid(random)}` : client_id,
    isClean: use.isClean,
    keepAliveSeconds: fields.keepalive,
    username: fields.user,
    password: fields.password,
    will: will.enabled ? { ...will, isRetained: will.retained } : undefined,
  };
  return new Reconnecting(
    async (onClosed) => {
      const reasons: string[] = [];
      for (const server of serverAddresses(fields.urls, mqttSchemes) ?? []) {
        try {
          return await MqttConnection.open({
            ...use,
            server,
            hello:
              server.username === ''
                ? hello
                : { ...hello, username: server.username, password: server.password },
            tls: await tlsOptionsOf(fields.tls),
            connectMsMax: fields.connect_timeout ?? 30_000,
            outbound,
            clock,
            onClosed: (error) => {
              onClosed(error);
              use.onLost?.(error);
            },
          });
        } catch (error) {
          reasons.push(`${server.host}:${server.port}: ${reasonOf(error)}`);
        }
      }
      throw new Error(`failed to connect to MQTT: ${reasons.join('; ')}`);
    },
    clock,
    context.connection,
  );
}

function nanoid(random: Random): string {
  return Array.from({ length: 21 }, () => nanoidChars[random.below(nanoidChars.length)]).join('');
}
