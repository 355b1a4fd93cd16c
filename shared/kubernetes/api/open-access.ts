/** Opens the access to the cluster: by a kubeconfig file, or by the account of the pod that this process runs in. */
import { ConfigError, environmentSecret } from "#shared/config/config.ts";
import type { ClusterAccess } from "./cluster-access.ts";
import { Kubeconfig } from "./kubeconfig.ts";
import { ServiceAccount } from "./service-account.ts";

/**
 * @param file The path of a kubeconfig; undefined inside of a cluster. @throws {ApiError} `NoCredentials` for a file that cannot be
 * used; {ConfigError} outside of a cluster without a file.
 */
export async function openAccess(file: string | undefined, context: string | undefined): Promise<ClusterAccess> {
	if (file !== undefined) return Kubeconfig.open({ file, context });
	const [host, port] = [environmentSecret("KUBERNETES_SERVICE_HOST"), environmentSecret("KUBERNETES_SERVICE_PORT")];
	if (host !== "" && port !== "") return new ServiceAccount({ host, port });
	throw new ConfigError(
		"Cannot find the cluster: this process does not run in a pod. Name a kubeconfig file with the configuration key pods.runtime.kwargs.kubeconfig",
	);
}
