import { awsSessionFields } from '../aws/aws-session.ts';
import { object, type Values } from '../component/field.ts';
import { list, map, oneOf, resource, string } from '../component/field-types.ts';
import { authFields } from '../http-requests/index.ts';

const mechanisms = ['none', 'PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512', 'OAUTHBEARER', 'AWS_MSK_IAM'] as const;

const mechanism = oneOf('The mechanism.', mechanisms);

/** Brokers have no endpoint of their own: what is signed is for the broker that it is sent to. */
const aws = object('Who logs in, for AWS_MSK_IAM.', {
  region: string('The region; the names of brokers of MSK have it.').or(''),
  endpoint: string('The URL of a server of AWS.')
    .or('')
    .advanced()
    .withoutEffect('what is signed is sent to the broker'),
  credentials: awsSessionFields.credentials,
}).advanced();

const extensions = map('Sent to brokers with the token.', string('A value.')).or({}).advanced();

interface MayBeSigned {
  readonly mechanism: (typeof mechanisms)[number];
  readonly aws: ReturnType<typeof aws.read>;
}

/** An agent signs nothing for a pipeline with credentials of its own. */
function signedProblem(
  { mechanism: name, aws: given }: MayBeSigned,
  { isLocal }: { readonly isLocal: boolean },
) {
  if (name !== 'AWS_MSK_IAM' || isLocal) return undefined;
  const { id, secret } = given?.credentials ?? {};
  return id === '' || secret === ''
    ? 'is AWS_MSK_IAM, for which managed pipelines need aws.credentials.id and aws.credentials.secret'
    : undefined;
}

/** The login of `kafka`. */
export const sasl = object('How to log in to brokers.', {
  mechanism: mechanism.or('none'),
  user: string('The name of the user, for PLAIN and SCRAM.').or(''),
  password: string('The password of the user.').or('').secret(),
  access_token: string('The token, for OAUTHBEARER.').or('').secret(),
  token_cache: resource('cache', 'A cache that has the token.').or('').advanced(),
  token_key: string('The key of the token in the cache.').or('').advanced(),
  oauth2: authFields.oauth2,
  aws,
  extensions,
})
  .check(signedProblem)
  .advanced();

const oneLogin = object('A login.', {
  mechanism,
  username: string('The name of the user, for PLAIN and SCRAM.').or(''),
  password: string('The password of the user.').or('').secret(),
  token: string('The token, for OAUTHBEARER.').or('').secret(),
  oauth2: authFields.oauth2,
  aws,
  extensions,
}).check(signedProblem);

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
