/** Opens the access to the cluster: by a kubeconfig file, or by the account of the pod that this process runs in. */
import { ConfigError, environmentSecret } from "#shared/config/config.ts";
import type { ClusterAccess } from "./cluster-access.ts";
import { Kubeconfig } from "./kubeconfig.ts";
import { ServiceAccount } from "./service-account.ts";

/** The part of the configuration about the access. */
export interface AccessOptions {
	/** The path of a kubeconfig; absent inside of a cluster. */
	readonly kubeconfig?: string | undefined;
	/** Default: the current context of the file. */
	readonly context?: string | undefined;
}

/**
 * @param key The configuration key with the path of a kubeconfig, for the sentence of a refusal. @throws {ApiError} `NoCredentials` for
 * a file that cannot be used; {ConfigError} outside of a cluster without a file.
 */
export async function openAccess({ kubeconfig: file, context }: AccessOptions, key: string): Promise<ClusterAccess> {
	if (file !== undefined) return Kubeconfig.open({ file, context });
	const [host, port] = [environmentSecret("KUBERNETES_SERVICE_HOST"), environmentSecret("KUBERNETES_SERVICE_PORT")];
	if (host !== "" && port !== "") return new ServiceAccount({ host, port });
	throw new ConfigError(
		`Cannot find the cluster: this process does not run in a pod. Name a kubeconfig file with the configuration key ${key}`,
	);
}
