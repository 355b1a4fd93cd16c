/** The types of credentials and how the contracts name them. */
export const secretTypes = ["api_key", "oauth_token", "git_credential", "ssh_key", "tls_cert", "generic"] as const;
export type SecretType = (typeof secretTypes)[number];
