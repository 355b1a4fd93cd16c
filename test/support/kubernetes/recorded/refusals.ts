/** The answers of a cluster's API to objects that it does not take, as Kubernetes 1.30 to 1.36 say them. */
import type { FailureCode } from "#shared/contracts/sessions/status-reasons.ts";

interface RecordedRefusal {
	readonly status: number | undefined;
	readonly message: string;
	readonly code: FailureCode;
	readonly isFinal: boolean;
}

const pod = 'pods "session-1-g1" is forbidden: ';

function refused(status: number, message: string, code: FailureCode, isFinal = false): RecordedRefusal {
	return { status, message, code, isFinal };
}

export const refusals: readonly RecordedRefusal[] = [
	refused(403, `${pod}exceeded quota: sessions, requested: pods=1, used: pods=50, limited: pods=50`, "QUOTA_EXCEEDED"),
	refused(
		403,
		'persistentvolumeclaims "workspace-1" is forbidden: exceeded quota: sessions, requested: requests.storage=10737418240, used: requests.storage=95Gi, limited: requests.storage=100Gi',
		"QUOTA_EXCEEDED",
	),
	refused(
		403,
		'serviceaccounts "session-1-g1" is forbidden: exceeded quota: sessions, requested: count/serviceaccounts=1, used: count/serviceaccounts=9, limited: count/serviceaccounts=9',
		"QUOTA_EXCEEDED",
	),
	refused(403, `${pod}failed quota: gpus: must specify limits.nvidia.com/gpu for: session`, "POD_FORBIDDEN", true),
	refused(403, `${pod}maximum memory usage per Container is 8Gi, but limit is 17179869184`, "POD_FORBIDDEN", true),
	refused(
		403,
		`${pod}[minimum cpu usage per Pod is 1, but request is 500m, maximum cpu usage per Pod is 2, but limit is 4]`,
		"POD_FORBIDDEN",
		true,
	),
	refused(
		403,
		'persistentvolumeclaims "workspace-1" is forbidden: maximum storage usage per PersistentVolumeClaim is 5Gi, but request is 10737418240',
		"POD_FORBIDDEN",
		true,
	),
	refused(
		403,
		`${pod}cpu max limit to request ratio per Container is 2, but provided ratio is 4.000000`,
		"POD_FORBIDDEN",
		true,
	),
	refused(
		403,
		`${pod}violates PodSecurity "restricted:latest": allowPrivilegeEscalation != false (container "sidecar" must set securityContext.allowPrivilegeEscalation=false)`,
		"POD_FORBIDDEN",
		true,
	),
	refused(
		422,
		`${pod}ValidatingAdmissionPolicy 'sessions.atelier.dev' with binding 'sessions.atelier.dev' denied request: images need a digest`,
		"POD_FORBIDDEN",
		true,
	),
	refused(
		400,
		'admission webhook "policy.example" denied the request: exceeded quota: of stars',
		"POD_FORBIDDEN",
		true,
	),
	refused(500, 'admission webhook "policy.example" denied the request without explanation', "POD_FORBIDDEN", true),
	refused(
		403,
		'pods is forbidden: User "system:serviceaccount:atelier-system:pod-manager" cannot create resource "pods" in API group "" in the namespace "atelier-sessions"',
		"POD_FORBIDDEN",
	),
	refused(401, "Unauthorized", "POD_FORBIDDEN"),
	refused(403, `${pod}no PriorityClass with name atelier-session was found`, "POD_FORBIDDEN"),
	refused(403, `${pod}pod rejected: RuntimeClass "gvisor" not found`, "POD_FORBIDDEN"),
	refused(
		403,
		`${pod}error looking up service account atelier-sessions/session-1-g1: serviceaccount "session-1-g1" not found`,
		"POD_FORBIDDEN",
	),
	refused(
		403,
		`${pod}unable to create new content in namespace atelier-sessions because it is being terminated`,
		"NAMESPACE_ENDING",
	),
	refused(404, 'namespaces "atelier-sessions" not found', "NAMESPACE_ENDING"),
	refused(422, 'Pod "session-1-g1" is invalid: spec.containers[0].image: Required value', "POD_INVALID", true),
	refused(
		422,
		'Pod "session-1-g1" is invalid: spec.nodeSelector: Invalid value: "exceeded quota: because it is being terminated"',
		"POD_INVALID",
		true,
	),
	refused(400, 'Pod in version "v1" cannot be handled as a Pod: unknown field "spec.x"', "POD_INVALID", true),
	refused(429, "the server has received too many requests and has asked us to try again later", "CLUSTER_UNREACHABLE"),
	refused(
		500,
		'Internal error occurred: failed calling webhook "policy.example": failed to call webhook: Post "https://policy.example.svc:443/": no endpoints available for service "policy"',
		"CLUSTER_UNREACHABLE",
	),
	refused(503, "the server is currently unable to handle the request", "CLUSTER_UNREACHABLE"),
	refused(504, "Timeout: request did not complete within requested timeout", "CLUSTER_UNREACHABLE"),
	{
		status: undefined,
		message: "The cluster's API at https://10.0.0.1 cannot be reached (ECONNREFUSED)",
		code: "CLUSTER_UNREACHABLE",
		isFinal: false,
	},
];
