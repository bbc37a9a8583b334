/**
 * How a source is logged in to. A credential is the value of a variable of the agent's environment, or a text of the
 * configuration, which has references to named secrets in place of secrets.
 */
export type Credential =
  | { readonly kind: 'variable'; readonly name: string }
  | { readonly kind: 'text'; readonly text: string };

export const sourceMechanisms = ['plain', 'scram-256', 'scram-512', 'oauthbearer', 'aws-msk-iam'] as const;

export type SourceMechanism = (typeof sourceMechanisms)[number];

export interface SourceCredentials {
  /** Absent for a source without logins. */
  readonly mechanism: SourceMechanism | undefined;
  /** The access key id for `aws-msk-iam`. */
  readonly username: Credential | undefined;
  /** The token for `oauthbearer`, the secret access key for `aws-msk-iam`. */
  readonly password: Credential | undefined;
  /** Of temporary credentials of AWS. */
  readonly sessionToken: Credential | undefined;
  /** Absent if the names of the brokers have it. */
  readonly awsRegion: string | undefined;
  readonly usesTls: boolean;
  /** Accepts every certificate. */
  readonly skipsVerification: boolean;
  readonly trustedCertificates: Credential | undefined;
  readonly clientCertificate: Credential | undefined;
  readonly clientKey: Credential | undefined;
}
