/**
 * Pods without a machine or without what a machine needs for them, as clusters of Kubernetes 1.30 to 1.36 show them. The texts are
 * those of the scheduler, of the controllers of volumes and of the kubelet.
 */
import { unscheduled } from "../pods/pod-objects.ts";
import { fromClaim, fromEvent, fromScheduler, type WaitingPod } from "./waiting-pod.ts";

const noNodes = "preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling.";

const places: readonly WaitingPod[] = [
	{
		seen: "the scheduler, without room",
		code: "UNSCHEDULABLE",
		...fromScheduler(`0/3 nodes are available: 1 node(s) had untolerated taint(s), 2 Insufficient cpu. ${noNodes}`),
	},
	{
		seen: "the scheduler, without a GPU",
		code: "UNSCHEDULABLE",
		...fromScheduler(`0/3 nodes are available: 3 Insufficient nvidia.com/gpu. no new claims to deallocate, ${noNodes}`),
	},
	{
		seen: "the scheduler, for a placement that no machine has",
		code: "UNSCHEDULABLE",
		...fromScheduler(`0/3 nodes are available: 3 node(s) didn't match Pod's node affinity/selector. ${noNodes}`),
	},
	{
		seen: "the scheduler, for a volume of another zone",
		code: "UNSCHEDULABLE",
		...fromScheduler(`0/3 nodes are available: 3 node(s) didn't match PersistentVolume's node affinity. ${noNodes}`),
	},
	{
		seen: "the scheduler, without room, when the volume came late an hour ago",
		code: "UNSCHEDULABLE",
		...fromScheduler("0/3 nodes are available: 3 Insufficient memory."),
		events: [{ reason: "ProvisioningFailed", message: "storage is full" }],
	},
	{
		seen: "a queue, by its gate",
		code: "QUEUED",
		status: unscheduled("SchedulingGated", "Scheduling is blocked due to non-empty scheduling gates"),
	},
	{
		seen: "the scheduler of 1.30, for a volume of another pod",
		code: "WORKSPACE_HELD",
		...fromScheduler(
			"0/1 nodes are available: 1 node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode.",
		),
	},
	{
		seen: "the scheduler of 1.34, for a volume of another pod",
		code: "WORKSPACE_HELD",
		...fromScheduler(
			"0/2 nodes are available: 1 Insufficient cpu, 1 node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod.",
		),
	},
];

const volumes: readonly WaitingPod[] = [
	{
		seen: "the scheduler, for a claim without a volume",
		code: "WORKSPACE_PENDING",
		...fromScheduler(`0/3 nodes are available: pod has unbound immediate PersistentVolumeClaims. ${noNodes}`),
		shownAfter: 10,
	},
	{
		seen: "the scheduler, for a claim that is not there",
		code: "WORKSPACE_PENDING",
		...fromScheduler('0/3 nodes are available: persistentvolumeclaim "workspace-1" not found.'),
	},
	{
		seen: "the scheduler, for a claim that is being deleted",
		code: "WORKSPACE_PENDING",
		...fromScheduler('0/3 nodes are available: persistentvolumeclaim "workspace-1" is being deleted.'),
	},
	{
		seen: "the scheduler, for a volume that somebody has deleted",
		code: "WORKSPACE_PENDING",
		...fromScheduler(
			"0/3 nodes are available: 3 node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s).",
		),
	},
	{
		seen: "the scheduler, after a volume has not come for ten minutes",
		code: "WORKSPACE_PENDING",
		...fromScheduler(
			'running PreBind plugin "VolumeBinding": binding volumes: context deadline exceeded',
			"SchedulerError",
		),
	},
	{
		seen: "the provisioner, while the scheduler waits for it",
		code: "WORKSPACE_PENDING",
		...fromClaim(
			"ProvisioningFailed",
			'failed to provision volume with StorageClass "fast": rpc error: code = ResourceExhausted desc = no space left in pool',
		),
	},
	{
		seen: "the controller of volumes, before the provisioner has answered",
		code: "WORKSPACE_PENDING",
		...fromClaim(
			"ExternalProvisioning",
			"Waiting for a volume to be created either by the external provisioner 'csi.example' or manually by the system administrator. If volume creation is delayed, please verify that the provisioner is running and correctly registered.",
		),
	},
	{
		seen: "the controller of volumes, without a storage class",
		code: "WORKSPACE_PENDING",
		status: unscheduled("Unschedulable", "0/3 nodes are available: pod has unbound immediate PersistentVolumeClaims."),
		events: [
			{
				reason: "FailedBinding",
				message: "no persistent volumes available for this claim and no storage class is set",
			},
		],
		words: "no persistent volumes available for this claim and no storage class is set",
	},
	{
		seen: "the controller of volumes, for a storage class that does not exist",
		code: "WORKSPACE_PENDING",
		status: unscheduled("Unschedulable", "0/3 nodes are available: pod has unbound immediate PersistentVolumeClaims."),
		events: [{ reason: "ProvisioningFailed", message: 'storageclass.storage.k8s.io "fast" not found' }],
		words: 'storageclass.storage.k8s.io "fast" not found',
		finalAfter: 0,
	},
	{
		seen: "the controller of volumes, since the storage class exists",
		code: "WORKSPACE_PENDING",
		status: unscheduled("Unschedulable", "0/3 nodes are available: pod has unbound immediate PersistentVolumeClaims."),
		events: [
			{ reason: "ExternalProvisioning", message: "Waiting for a volume to be created" },
			{ reason: "ProvisioningFailed", message: 'storageclass.storage.k8s.io "fast" not found' },
		],
		words: "Waiting for a volume to be created",
	},
];

const mounts: readonly WaitingPod[] = [
	{
		seen: "the kubelet, for a volume that cannot be mounted",
		code: "VOLUME_MOUNT_FAILED",
		shownAfter: 30,
		...fromEvent(
			"FailedMount",
			'MountVolume.SetUp failed for volume "pvc-1" : rpc error: code = Internal desc = mount failed: exit status 32',
		),
	},
	{
		seen: "the kubelet, after two minutes without a volume",
		code: "VOLUME_MOUNT_FAILED",
		shownAfter: 30,
		...fromEvent(
			"FailedMount",
			"Unable to attach or mount volumes: unmounted volumes=[workspace], unattached volumes=[], failed to process volumes=[]: context deadline exceeded",
		),
	},
	{
		seen: "the controller of attachments, for a volume of another machine",
		code: "WORKSPACE_HELD",
		shownAfter: 30,
		...fromEvent(
			"FailedAttachVolume",
			'Multi-Attach error for volume "pvc-1" Volume is already exclusively attached to one node and can\'t be attached to another',
		),
	},
	{
		seen: "the controller of attachments, for a volume of another pod",
		code: "WORKSPACE_HELD",
		shownAfter: 30,
		...fromEvent(
			"FailedAttachVolume",
			'Multi-Attach error for volume "pvc-1" Volume is already used by pod(s) session-1-g1',
		),
	},
	{
		seen: "the kubelet, for a volume of another pod",
		code: "WORKSPACE_HELD",
		shownAfter: 30,
		...fromEvent(
			"FailedMount",
			'MountVolume.SetUp failed for volume "pvc-1" : volume uses the ReadWriteOncePod access mode and is already in use by another pod',
		),
	},
	{
		seen: "the kubelet, without a network",
		code: "CONTAINER_FAILED",
		shownAfter: 30,
		...fromEvent(
			"FailedCreatePodSandBox",
			'Failed to create pod sandbox: rpc error: code = Unknown desc = failed to setup network for sandbox "1f": plugin type="calico" failed (add): error getting ClusterInformation',
		),
	},
	{
		seen: "the kubelet, without the runtime of the placement",
		code: "CONTAINER_FAILED",
		shownAfter: 30,
		...fromEvent(
			"FailedCreatePodSandBox",
			'Failed to create pod sandbox: rpc error: code = Unknown desc = failed to get sandbox runtime: no runtime for "runsc" is configured',
		),
	},
];

export const latePlaces: readonly WaitingPod[] = [...places, ...volumes, ...mounts];
