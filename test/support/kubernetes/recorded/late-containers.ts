/**
 * Pods whose machine cannot start their container, as clusters of Kubernetes 1.30 to 1.36 show them. The texts are those of the kubelet
 * and of containerd.
 */
import { running, waitingFor } from "../pods/pod-objects.ts";
import { fromKubelet, node, type WaitingPod } from "./waiting-pod.ts";

const image = "registry.example/team/tools:1";
const containerd = `failed to pull and unpack image "${image}": failed to resolve reference "${image}"`;

const images: readonly WaitingPod[] = [
	{
		seen: "the kubelet, for an image that the registry does not have",
		code: "IMAGE_PULL_FAILED",
		finalAfter: 60,
		...fromKubelet("ErrImagePull", `rpc error: code = NotFound desc = ${containerd}: ${image}: not found`),
	},
	{
		seen: "the kubelet, for an image of another processor",
		code: "IMAGE_PULL_FAILED",
		finalAfter: 60,
		...fromKubelet(
			"ErrImagePull",
			`rpc error: code = NotFound desc = failed to pull and unpack image "${image}": no match for platform in manifest: not found`,
		),
	},
	{
		seen: "the kubelet, without a right to pull",
		code: "IMAGE_PULL_FAILED",
		finalAfter: 60,
		...fromKubelet(
			"ErrImagePull",
			`${containerd}: pull access denied, repository does not exist or may require authorization: server message: insufficient_scope: authorization failed`,
		),
	},
	{
		seen: "the kubelet, with a wrong secret",
		code: "IMAGE_PULL_FAILED",
		finalAfter: 60,
		...fromKubelet(
			"ErrImagePull",
			`${containerd}: unexpected status from HEAD request to https://registry.example/v2/team/tools/manifests/1: 401 Unauthorized`,
		),
	},
	{
		seen: "the kubelet since 1.32, in a pause",
		code: "IMAGE_PULL_FAILED",
		finalAfter: 60,
		...fromKubelet(
			"ImagePullBackOff",
			`Back-off pulling image "${image}": ErrImagePull: rpc error: code = NotFound desc = ${containerd}: ${image}: not found`,
		),
	},
	{
		seen: "the kubelet of 1.30, in a pause, with the reason in an event",
		code: "IMAGE_PULL_FAILED",
		finalAfter: 60,
		status: waitingFor("ImagePullBackOff", `Back-off pulling image "${image}"`),
		node,
		events: [
			{ reason: "BackOff", message: `Back-off pulling image "${image}"` },
			{ reason: "Failed", message: "Error: ErrImagePull" },
			{ reason: "Failed", message: `Failed to pull image "${image}": manifest unknown` },
		],
		words: `Failed to pull image "${image}": manifest unknown`,
	},
	{
		seen: "the kubelet of 1.30, in a pause, before its events were read",
		code: "IMAGE_PULL_FAILED",
		...fromKubelet("ImagePullBackOff", `Back-off pulling image "${image}"`),
	},
	{
		seen: "the kubelet, without a name server",
		code: "IMAGE_PULL_FAILED",
		...fromKubelet(
			"ErrImagePull",
			`${containerd}: failed to do request: Head "https://registry.example/v2/team/tools/manifests/1": dial tcp: lookup registry.example on 10.0.0.10:53: no such host`,
		),
	},
	{
		seen: "the kubelet, for a registry that is busy",
		code: "IMAGE_PULL_FAILED",
		...fromKubelet(
			"ErrImagePull",
			`${containerd}: unexpected status from HEAD request to https://registry.example/v2/team/tools/manifests/1: 429 Too Many Requests: toomanyrequests: You have reached your pull rate limit`,
		),
	},
	{
		seen: "the kubelet, for an image with a word of refusals in its name",
		code: "IMAGE_PULL_FAILED",
		...fromKubelet(
			"ErrImagePull",
			'failed to resolve reference "registry.example/denied/forbidden:1": failed to do request: dial tcp: i/o timeout',
		),
	},
	{
		seen: "the kubelet, for a registry that is away",
		code: "IMAGE_PULL_FAILED",
		...fromKubelet(
			"RegistryUnavailable",
			`image pull failed for ${image} because the registry is unavailable: dial tcp 10.1.2.3:443: connect: connection refused`,
		),
	},
	{
		seen: "the kubelet, for a signature",
		code: "IMAGE_PULL_FAILED",
		finalAfter: 60,
		...fromKubelet(
			"SignatureValidationFailed",
			`image pull failed for ${image} because the signature validation failed: Source image rejected`,
		),
	},
	{
		seen: "the kubelet, that must not pull",
		code: "IMAGE_PULL_FAILED",
		finalAfter: 60,
		...fromKubelet("ErrImageNeverPull", `Container image "${image}" is not present with pull policy of Never`),
	},
	{
		seen: "the kubelet, that cannot look at the image",
		code: "IMAGE_PULL_FAILED",
		...fromKubelet(
			"ImageInspectError",
			`Failed to inspect image "${image}": rpc error: code = DeadlineExceeded desc = context deadline exceeded`,
		),
	},
	{
		seen: "the kubelet, for a name that is none",
		code: "IMAGE_INVALID",
		finalAfter: 0,
		...fromKubelet(
			"InvalidImageName",
			'Failed to apply default image tag "Team/Tools": couldn\'t parse image name "Team/Tools": invalid reference format: repository name (Team/Tools) must be lowercase',
		),
	},
];

const containers: readonly WaitingPod[] = [
	{
		seen: "the kubelet, for an image of root",
		code: "CONTAINER_FAILED",
		finalAfter: 0,
		...fromKubelet(
			"CreateContainerConfigError",
			'container has runAsNonRoot and image will run as root (pod: "session-1-g1_sessions(uid-1)", container: session)',
		),
	},
	{
		seen: "the kubelet, for a folder of the volume",
		code: "CONTAINER_FAILED",
		finalAfter: 0,
		...fromKubelet(
			"CreateContainerConfigError",
			'failed to prepare subPath for volumeMount "workspace" of container "session"',
		),
	},
	{
		seen: "the kubelet, a moment after its start",
		code: "CONTAINER_FAILED",
		...fromKubelet(
			"CreateContainerConfigError",
			"services have not yet been read at least once, cannot construct envvars",
		),
	},
	{
		seen: "the kubelet, whose cache is late",
		code: "CONTAINER_FAILED",
		...fromKubelet("CreateContainerConfigError", "failed to sync secret cache: timed out waiting for the condition"),
	},
	{
		seen: "the kubelet, with a slow disk",
		code: "CONTAINER_FAILED",
		...fromKubelet("CreateContainerError", "context deadline exceeded"),
	},
	{
		seen: "the kubelet, after a slow disk",
		code: "CONTAINER_FAILED",
		...fromKubelet(
			"CreateContainerError",
			'failed to reserve container name "session_session-1-g1_sessions_uid-1_0": name "session_session-1-g1_sessions_uid-1_0" is reserved for "4c1f"',
		),
	},
	{
		seen: "the kubelet, for a program that does not exist",
		code: "CONTAINER_FAILED",
		finalAfter: 0,
		...fromKubelet(
			"RunContainerError",
			'failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: error during container init: exec: "tini": executable file not found in $PATH: unknown',
		),
	},
	{
		seen: "the kubelet, for a container whose agent says nothing",
		code: "POD_CANNOT_REACH_PLATFORM",
		status: running,
		node,
		shownAfter: 20,
	},
];

export const lateContainers: readonly WaitingPod[] = [...images, ...containers];
