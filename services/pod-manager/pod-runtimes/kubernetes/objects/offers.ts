/** Chooses what a session asks for by its name among what the operator offers. Pure. */
import { PodRefused } from "../../../pod-refused.ts";
import type { KubernetesSettings } from "../kubernetes-options.ts";
import type { Placement, PodPlan } from "./pod-manifest.ts";

/** The placement of sessions that name none. */
const usualPlacement = "default";
/** The most names that a sentence has. */
const maxTold = 20;

/**
 * Returns the image of a session, and the one that brings the session agent where it has none. @param wanted Absent: that of sessions.
 * @throws {PodRefused}
 */
export function offeredImage(
	wanted: string | undefined,
	{ image, images, ownImages }: Pick<KubernetesSettings, "image" | "images" | "ownImages">,
): Pick<PodPlan, "image" | "deliveredBy"> {
	if (wanted === undefined || wanted === image) return { image };
	if (ownImages.includes(wanted)) return { image: wanted };
	if (images.includes("*") || images.includes(wanted)) return { image: wanted, deliveredBy: image };
	throw new PodRefused(
		"POD_FORBIDDEN",
		`the operator does not offer the image "${wanted}" (pods.runtime.kwargs.images)`,
	);
}

/** Returns a placement; that of the operator's cluster when none has the usual name. @throws {PodRefused} for an unknown name. */
export function offeredPlacement(wanted = usualPlacement, placements: Readonly<Record<string, Placement>>): Placement {
	const found = Object.hasOwn(placements, wanted) ? placements[wanted] : undefined;
	if (found || wanted === usualPlacement) return found ?? {};
	const names = [...new Set([usualPlacement, ...Object.keys(placements)])].sort();
	const told = names.slice(0, maxTold).join(", ") + (names.length > maxTold ? ", …" : "");
	throw new PodRefused(
		"POD_FORBIDDEN",
		`the operator does not offer the placement "${wanted}"; it may be one of ${told} (pods.runtime.kwargs.placements)`,
	);
}
