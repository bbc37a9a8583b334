/** The mechanisms of the commands: those that Weir has. */
export const saslMechanisms = ['PLAIN', 'SCRAM-SHA-512', 'OAUTHBEARER'] as const;
/** The mechanisms that this client supports. */
export type SaslMechanism = (typeof saslMechanisms)[number] | 'SCRAM-SHA-256' | 'AWS_MSK_IAM';
