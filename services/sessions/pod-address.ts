/** Where a pod is, and the key it knows the platform by. */
export interface PodAddress {
	readonly sessionId: string;
	readonly generation: number;
	/** `http://127.0.0.1:40123` */
	readonly url: string;
	readonly key: string;
}
