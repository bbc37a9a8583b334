import type { OutputOf } from '@weir/api';
import type { AccountsDatabase } from '../../accounts/open.ts';
import type { SsoConnection } from '../../accounts/sso/sso-connections.ts';
import { callbackUrlOf, loginUrlOf } from '../../http/sign-in-paths.ts';
import { isIssuer } from '../../workload-identity/binding.ts';
import type { SomeHandlers } from '../handler.ts';
import { OperationFailed } from '../operation-failed.ts';

/** Operations on OpenID Connect connections. The sign-in itself is in `sign-in/`. */
export function ssoHandlers({ ssoConnections }: AccountsDatabase, publicUrl: () => string) {
  return {
    async get_sso_configuration(_input, { accountId }) {
      const connection = await ssoConnections.get(accountId);
      return {
        sso_configuration: connection === undefined ? null : toConnectionResponse(connection, publicUrl()),
      };
    },

    async create_sso_configuration(input, { accountId }) {
      const { id } = await ssoConnections.create(accountId, {
        identifier: input.sso_identifier,
        issuer: checkedIssuer(input.issuer_url),
        clientId: input.client_id,
        clientSecret: input.client_secret,
        defaultRoleId: input.default_role_id,
        hasRoleMapping: input.enable_sso_role_mapping,
        roleClaim: input.role_claim,
      });
      return { sso_connection_id: id };
    },

    async update_sso_configuration(input, { accountId }) {
      const { issuer_url, client_id, client_secret, default_role_id, enable_sso_role_mapping, role_claim } =
        input;
      await ssoConnections.update(accountId, input.sso_connection_id, {
        ...(issuer_url === undefined ? {} : { issuer: checkedIssuer(issuer_url) }),
        ...(client_id === undefined ? {} : { clientId: client_id }),
        ...(client_secret === undefined ? {} : { clientSecret: client_secret }),
        ...(default_role_id === undefined ? {} : { defaultRoleId: default_role_id }),
        ...(enable_sso_role_mapping === undefined ? {} : { hasRoleMapping: enable_sso_role_mapping }),
        ...(role_claim === undefined ? {} : { roleClaim: role_claim }),
      });
      return {};
    },

    async delete_sso_configuration({ sso_connection_id }, { accountId }) {
      await ssoConnections.delete(accountId, sso_connection_id);
      return {};
    },
  } satisfies SomeHandlers;
}

/** The address is checked at each request: the name may resolve to another one by then. */
export function checkedIssuer(url: string): string {
  if (isIssuer(url)) return url;
  throw new OperationFailed(
    'invalid_request',
    'issuer_url: is not an https:// address without user, query and fragment',
  );
}

function toConnectionResponse(
  connection: SsoConnection,
  publicUrl: string,
): NonNullable<OutputOf<'get_sso_configuration'>['sso_configuration']> {
  return {
    id: connection.id,
    sso_identifier: connection.identifier,
    issuer_url: connection.issuer,
    client_id: connection.clientId,
    default_role_id: connection.defaultRoleId,
    enable_sso_role_mapping: connection.hasRoleMapping,
    role_claim: connection.roleClaim,
    login_url: loginUrlOf(publicUrl, connection),
    callback_url: callbackUrlOf(publicUrl, connection),
  };
}
