import { bool } from '../../values/bool.ts';
import { list } from '../../values/list.ts';
import { headerKey, oneOf, principal, text } from '../../values/text.ts';
import { url } from '../../values/url.ts';
import { planned } from '../row.ts';
import { brokers } from './takers.ts';

/** Who may connect, and as whom. */
export const authenticationFlags = [
  planned({
    name: 'requireSASLAuthentication',
    type: bool(),
    default: false,
    commands: brokers,
    deprecatedNames: ['-requireAuthentication', 'SERVICE_REQUIRE_AUTHENTICATION'],
    help: 'Refuse Kafka clients that do not log in by SASL.',
  }),
  planned({
    name: 'enabledSASLMechanisms',
    type: list(oneOf('PLAIN', 'SCRAM-SHA-512')),
    default: ['PLAIN', 'SCRAM-SHA-512'],
    commands: brokers,
    help: 'The password mechanisms that clients may use.',
    rule: 'OAUTHBEARER is not listed here: it is on when an issuer and an audience are set.',
  }),
  planned({
    name: 'saslOAuthIssuerURL',
    type: url(),
    commands: brokers,
    help: 'The issuer whose OAuth tokens are accepted.',
  }),
  planned({
    name: 'saslOAuthAudience',
    type: text(),
    commands: brokers,
    help: 'The audience that an OAuth token must be made out to.',
  }),
  planned({
    name: 'injectPrincipalHeader',
    type: headerKey(),
    commands: brokers,
    help: 'Add the user name of the producer to each record, in a header with this key.',
  }),
  planned({
    name: 'impersonatorPrincipals',
    type: list(principal()),
    default: [],
    commands: brokers,
    help: 'The principals that may produce on behalf of others.',
  }),
  planned({
    name: 'impersonationHeader',
    type: headerKey(),
    default: 'service-impersonate-principal',
    commands: brokers,
    help: 'The record header in which an impersonator names the principal it stands for.',
    rule: 'The header is removed before the record is stored.',
  }),
  planned({
    name: 'enableACLLogs',
    type: bool(),
    default: true,
    commands: brokers,
    help: 'Log the requests that ACLs deny.',
  }),
];
