import { object, type Values } from '../component/field.ts';
import { list, map, oneOf, resource, string } from '../component/field-types.ts';
import { authFields } from '../http-requests/index.ts';

const unavailable = 'AWS_MSK_IAM is not available in this release; use SCRAM-SHA-512 or OAUTHBEARER';

const mechanisms = ['none', 'PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512', 'OAUTHBEARER', 'AWS_MSK_IAM'] as const;

const mechanism = oneOf('The mechanism.', mechanisms).check((name) =>
  name === 'AWS_MSK_IAM' ? `cannot be that: ${unavailable}` : undefined,
);

const extensions = map('Sent to brokers with the token.', string('A value.')).or({}).advanced();

/** The login of `kafka`. */
export const sasl = object('How to log in to brokers.', {
  mechanism: mechanism.or('none'),
  user: string('The name of the user, for PLAIN and SCRAM.').or(''),
  password: string('The password of the user.').or('').secret(),
  access_token: string('The token, for OAUTHBEARER.').or('').secret(),
  token_cache: resource('cache', 'A cache that has the token.').or('').advanced(),
  token_key: string('The key of the token in the cache.').or('').advanced(),
  oauth2: authFields.oauth2,
  extensions,
}).advanced();

const oneLogin = object('A login.', {
  mechanism,
  username: string('The name of the user, for PLAIN and SCRAM.').or(''),
  password: string('The password of the user.').or('').secret(),
  token: string('The token, for OAUTHBEARER.').or('').secret(),
  oauth2: authFields.oauth2,
  extensions,
});

/** The logins of `kafka_franz`. */
export const saslList = list('How to log in to brokers.', oneLogin)
  .or([])
  .check((logins) =>
    logins.filter((login) => login.mechanism !== 'none').length > 1
      ? 'has more than one mechanism; name the one that the brokers have'
      : undefined,
  )
  .advanced();

export type SaslValues = NonNullable<ReturnType<typeof sasl.read>>;
export type SaslListValues = NonNullable<ReturnType<typeof saslList.read>>;
export type Oauth2Values = Values<typeof authFields>['oauth2'];
