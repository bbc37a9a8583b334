/** Where the user of a process for one signs in; behind it stands the token. */
export const signInPath = '/sign-in/';
