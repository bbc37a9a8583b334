/** The number of SCRAM-SHA-512 in requests about credentials. There is no other SCRAM here: SHA-256 is not offered to clients. */
export const scramSha512 = 2;
