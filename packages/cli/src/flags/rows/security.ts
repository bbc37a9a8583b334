import { bool } from '../../values/bool.ts';
import { list } from '../../values/list.ts';
import { int } from '../../values/numbers.ts';
import { headerKey, oneOf, path, principal, text } from '../../values/text.ts';
import { url } from '../../values/url.ts';
import { available } from '../row.ts';
import { brokers, selfContained } from './takers.ts';

/** Authentication of clients. */
export const authenticationFlags = [
  available({
    name: 'saslCredentialsFile',
    type: path(),
    commands: selfContained,
    help: 'A JSON file with the credentials of the cluster.',
    rule: 'A list of {name, username, password, superuser}. The file must not be readable by all users. It is reloaded when it changes; removed credentials are revoked.',
  }),
  available({
    name: 'requireSASLAuthentication',
    type: bool(),
    default: false,
    commands: brokers,
    deprecatedNames: ['-requireAuthentication', 'SERVICE_REQUIRE_AUTHENTICATION'],
    help: 'Require Kafka clients to authenticate with SASL.',
  }),
  available({
    name: 'enabledSASLMechanisms',
    type: list(oneOf('PLAIN', 'SCRAM-SHA-512')),
    default: ['PLAIN', 'SCRAM-SHA-512'],
    commands: brokers,
    help: 'The SASL mechanisms with passwords that clients may use.',
    rule: 'OAUTHBEARER is enabled by -saslOAuthIssuerURL and -saslOAuthAudience instead.',
  }),
  available({
    name: 'saslOAuthIssuerURL',
    type: url(),
    commands: brokers,
    help: 'The issuer whose OAuth tokens are accepted.',
    rule: 'https, unless it runs on this machine. Its keys are found by OpenID Connect discovery, or else by RFC 8414.',
  }),
  available({
    name: 'saslOAuthAudience',
    type: text(),
    commands: brokers,
    help: 'The required audience of OAuth tokens.',
  }),
  available({
    name: 'connectionsMaxReauthMs',
    type: int({ min: 0 }),
    default: 0,
    commands: brokers,
    help: 'Milliseconds after which SASL clients must reauthenticate; 0 for never.',
    rule: 'A client with an OAuth token must reauthenticate when the token expires, if earlier.',
  }),
  available({
    name: 'injectPrincipalHeader',
    type: headerKey(),
    commands: brokers,
    help: 'Add the user name of the producer to each record, in a header with this key.',
    rule: 'Headers with this key from clients are removed, so that they cannot be forged. Batches are recompressed.',
  }),
  available({
    name: 'impersonatorPrincipals',
    type: list(principal(), { itemsBegin: 'User:' }),
    default: [],
    commands: brokers,
    help: 'The principals that may produce on behalf of others.',
    rule: 'ACLs of the impersonated user decide what they may write; impersonation never makes a superuser.',
  }),
  available({
    name: 'impersonationHeader',
    type: headerKey(),
    default: 'service-impersonate-principal',
    commands: brokers,
    help: 'The record header with the impersonated principal.',
    rule: 'Its value is User: and a name. The header is removed before the record is stored.',
  }),
  available({
    name: 'enableACLLogs',
    type: bool(),
    default: true,
    commands: brokers,
    help: 'Log requests that ACLs deny, or would deny in shadow mode.',
    rule: 'The same denial is logged once a minute. The metric agent_acl_denied counts all.',
  }),
];
