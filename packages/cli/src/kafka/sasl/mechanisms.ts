/** The mechanisms that a client of ours can log in by. */
export const saslMechanisms = ['PLAIN', 'SCRAM-SHA-512', 'OAUTHBEARER'] as const;
export type SaslMechanism = (typeof saslMechanisms)[number];
