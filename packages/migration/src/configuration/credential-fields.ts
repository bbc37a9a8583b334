import { migrationVariablePrefix } from '@weir/cluster/outbound';
import type { Credential, SourceCredentials } from '../source/source-credentials.ts';
import type { CredentialFields } from './configuration-schema.ts';

/** A rule that credentials break, and the field that breaks it. */
interface CredentialProblem {
  readonly field: keyof CredentialFields;
  readonly rule: string;
}

/** The values that are given as a variable or as a text. */
const pairs = [
  ['sasl_username', 'sasl_username_env'],
  ['sasl_password', 'sasl_password_env'],
  ['aws_session_token', 'aws_session_token_env'],
  ['tls_ca_cert', 'tls_ca_cert_env'],
  ['mtls_client_cert', 'mtls_client_cert_env'],
  ['mtls_client_key', 'mtls_client_key_env'],
] as const satisfies readonly (readonly [keyof CredentialFields, keyof CredentialFields])[];

type Given = (typeof pairs)[number][0];

/** Finds what is wrong with credentials whose form is already checked. */
export function credentialProblems(fields: CredentialFields): readonly CredentialProblem[] {
  const found: CredentialProblem[] = [];
  const add = (field: keyof CredentialFields, rule: string) => found.push({ field, rule });
  /** The field that gives a value, if one does. */
  const giver = (name: Given): keyof CredentialFields | undefined => {
    const [plain, variable] = pairs.find(([field]) => field === name)!;
    return fields[plain] !== undefined ? plain : fields[variable] !== undefined ? variable : undefined;
  };
  for (const [plain, variable] of pairs) {
    if (fields[plain] !== undefined && fields[variable] !== undefined)
      add(plain, `is given in two ways, also by ${variable}`);
    const name = fields[variable];
    if (name?.startsWith(migrationVariablePrefix))
      add(
        variable,
        `begins with ${migrationVariablePrefix}, which agents add themselves: write ${name.slice(migrationVariablePrefix.length) || 'a name without it'}`,
      );
  }
  const [username, password] = [giver('sasl_username'), giver('sasl_password')];
  const mechanism = mechanismOf(fields);
  switch (mechanism) {
    case undefined:
      break;
    case 'oauthbearer':
      if (username !== undefined)
        add(username, 'is not used by oauthbearer, whose token is sasl_password_env');
      if (password === undefined) add('sasl_mechanism', 'needs a token: sasl_password_env');
      break;
    case 'aws-msk-iam':
      if ((username === undefined) !== (password === undefined))
        add(
          'sasl_mechanism',
          'needs both an access key id (sasl_username_env) and its secret (sasl_password_env), or neither',
        );
      if (fields.use_tls !== true) add('sasl_mechanism', 'needs use_tls: true');
      break;
    default:
      if (username === undefined || password === undefined)
        add(username ?? password ?? 'sasl_mechanism', 'needs both sasl_username_env and sasl_password_env');
  }
  if (mechanism !== 'aws-msk-iam')
    for (const field of ['aws_region', 'aws_session_token', 'aws_session_token_env'] as const)
      if (fields[field] !== undefined) add(field, 'is used with sasl_mechanism aws-msk-iam only');
  const [certificate, key] = [giver('mtls_client_cert'), giver('mtls_client_key')];
  if ((certificate === undefined) !== (key === undefined))
    add(certificate ?? key!, 'needs both mtls_client_cert_env and mtls_client_key_env');
  if (fields.use_tls !== true)
    for (const field of [
      giver('tls_ca_cert'),
      certificate,
      key,
      fields.tls_insecure_skip_verify && 'tls_insecure_skip_verify',
    ] as const)
      if (field) add(field, 'has no effect without use_tls: true');
  return found;
}

function mechanismOf(fields: CredentialFields): SourceCredentials['mechanism'] {
  const hasLogin = [
    fields.sasl_username,
    fields.sasl_username_env,
    fields.sasl_password,
    fields.sasl_password_env,
  ];
  return fields.sasl_mechanism ?? (hasLogin.some((value) => value !== undefined) ? 'plain' : undefined);
}

export function credentialsOf(fields: CredentialFields): SourceCredentials {
  return {
    mechanism: mechanismOf(fields),
    username: credential(fields.sasl_username, fields.sasl_username_env),
    password: credential(fields.sasl_password, fields.sasl_password_env),
    sessionToken: credential(fields.aws_session_token, fields.aws_session_token_env),
    awsRegion: fields.aws_region,
    usesTls: fields.use_tls ?? false,
    skipsVerification: fields.tls_insecure_skip_verify ?? false,
    trustedCertificates: credential(fields.tls_ca_cert, fields.tls_ca_cert_env),
    clientCertificate: credential(fields.mtls_client_cert, fields.mtls_client_cert_env),
    clientKey: credential(fields.mtls_client_key, fields.mtls_client_key_env),
  };
}

function credential(text: string | undefined, variable: string | undefined): Credential | undefined {
  if (text !== undefined) return { kind: 'text', text };
  return variable === undefined ? undefined : { kind: 'variable', name: migrationVariablePrefix + variable };
}
