/** Port: where the API of a cluster is, and how a call shows who it is from. */

/** The credentials of one call; another call may need other ones. */
export interface Credentials {
	readonly headers: Readonly<Record<string, string>>;
	/** PEM, and how the server is verified. */
	readonly tls: {
		readonly ca?: Buffer | string | undefined;
		readonly cert?: Buffer | string | undefined;
		readonly key?: Buffer | string | undefined;
		readonly servername?: string | undefined;
		/** False only where a kubeconfig says so. */
		readonly rejectUnauthorized?: boolean | undefined;
	};
	/** The secrets among them, which no error may show. */
	readonly secrets: readonly string[];
}

/** The access to one cluster. */
export interface ClusterAccess {
	/** An https URL, perhaps with a path before that of the API. */
	readonly server: URL;
	/** Called for each call, so it answers from memory mostly. @throws {ApiError} `NoCredentials` when there are none now. */
	credentials(): Promise<Credentials>;
	/** The API does not know the caller: what is in memory is not used again. */
	renew(): void;
}
