import type { Values } from '../component/field.ts';
import { bool, string } from '../component/field-types.ts';
import { tls } from '../component/tls-fields.ts';
import { signingFields, transportField } from '../http-requests/index.ts';

/** The fields of both processors. */
export const registryFields = {
  url: string('The URL of the registry.'),
  avro_raw_json: bool('Whether values of unions are plain JSON, without the names of their branches.')
    .or(false)
    .advanced(),
  avro_nested_schemas: bool('Whether references of Avro schemas are followed at any depth.')
    .or(false)
    .advanced()
    .withoutEffect('references are always followed'),
  transport: transportField.withoutEffect('the client of registries has settings of its own'),
  ...signingFields,
  oauth: signingFields.oauth.check(({ enabled }) =>
    enabled ? 'is not available for registries; use basic_auth or jwt' : undefined,
  ),
  tls: tls('TLS of the connection.'),
};

export type RegistryValues = Values<typeof registryFields>;
