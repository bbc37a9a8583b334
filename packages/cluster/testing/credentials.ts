/** Credentials of users who are no superusers. */
export const credentialsOf = (...usernames: readonly string[]) =>
  usernames.map((username) => ({
    username,
    id: `cci_${username}`,
    name: `ccn_${username}`,
    isSuperuser: false,
    isFromFile: false,
    password: null,
  }));
