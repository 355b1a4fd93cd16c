/** The objects of k8s/, as far as the tests read them. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import { projectRoot } from "#shared/base/project-root.ts";
import { kustomized } from "../../../config/chart/kustomization.ts";
import { trackedFiles } from "../tracked-files.ts";
import type { ApiObject } from "./manifest-faults.ts";

export interface Labels {
	readonly [name: string]: string;
}

export interface Container {
	readonly name: string;
	readonly image?: string;
	readonly args?: readonly string[];
	readonly envFrom?: readonly object[];
	readonly volumeMounts?: readonly { readonly mountPath: string }[];
	readonly env?: readonly { readonly name: string; readonly value?: string }[];
	readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
	readonly livenessProbe?: object;
	readonly readinessProbe?: object;
	readonly resources?: { readonly requests?: object; readonly limits?: Readonly<Record<string, string>> };
	readonly securityContext?: {
		readonly allowPrivilegeEscalation?: boolean;
		readonly readOnlyRootFilesystem?: boolean;
		readonly capabilities?: { readonly drop: readonly string[] };
	};
}

export interface PodTemplate {
	readonly metadata: { readonly labels: Labels; readonly annotations?: Labels };
	readonly spec: {
		readonly containers: readonly Container[];
		readonly initContainers?: readonly Container[];
		readonly serviceAccountName?: string;
		readonly automountServiceAccountToken?: boolean;
		readonly volumes?: readonly object[];
		readonly securityContext?: {
			readonly runAsNonRoot?: boolean;
			readonly runAsUser?: number;
			readonly seccompProfile?: { readonly type: string };
		};
	};
}

export interface Rule {
	readonly apiGroups: readonly string[];
	readonly resources: readonly string[];
	readonly verbs: readonly string[];
}

/** An object with the members of all kinds that the tests look at. */
export interface Deployed extends ApiObject {
	readonly metadata: { readonly name: string; readonly namespace?: string; readonly labels?: Labels };
	readonly spec?: {
		readonly replicas?: number;
		readonly template?: PodTemplate;
		readonly jobTemplate?: { readonly spec: { readonly template: PodTemplate } };
		readonly podSelector?: {
			readonly matchLabels?: Labels;
			readonly matchExpressions?: readonly { readonly values: readonly string[] }[];
		};
		readonly policyTypes?: readonly string[];
		readonly ingress?: readonly { readonly ports?: readonly { readonly port: number }[] }[];
	};
	readonly data?: Readonly<Record<string, string>>;
	readonly rules?: readonly Rule[];
	readonly roleRef?: { readonly kind: string; readonly name: string };
	readonly subjects?: readonly { readonly kind: string; readonly name: string; readonly namespace: string }[];
}

/** Returns the objects of a folder with a kustomization. */
export function objectsOf(folder: string): Deployed[] {
	return kustomized(join(projectRoot, "k8s", folder)).map((manifest) => manifest.toJS() as Deployed);
}

/** Returns every object in a file of k8s/; files of Kustomize and of the platform's configuration have none, and those of the chart are templates. */
export function writtenObjects(): { file: string; object: Deployed }[] {
	return trackedFiles("k8s/*.yaml")
		.filter((file) => !file.startsWith("k8s/chart/") && !/(kustomization|atelier)\.yaml$/.test(file))
		.flatMap((file) => {
			const documents = parseAllDocuments(readFileSync(join(projectRoot, file), "utf8"));
			return documents.map((document) => ({ file, object: document.toJS() as Deployed }));
		});
}
