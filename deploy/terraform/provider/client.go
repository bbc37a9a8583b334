package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// A call of the API, whose operations are all verbs that are posted to.
type client struct {
	url   string
	token string
	http  *http.Client
}

const (
	callTimeout    = 4 * time.Minute
	triesMax       = 6
	answerBytesMax = 64 << 20
)

func newClient(url, token string) *client {
	url = strings.TrimSuffix(strings.TrimRight(url, "/"), "/api/v1")
	return &client{url: url + "/api/v1/", token: token, http: &http.Client{Timeout: callTimeout}}
}

type apiError struct {
	operation string
	status    int
	Code      string `json:"error"`
	Message   string `json:"message"`
}

func (e *apiError) Error() string {
	return fmt.Sprintf("%s: %s (%d %s)", e.operation, e.Message, e.status, e.Code)
}

// Whether what was asked for does not exist any more.
func isGone(err error) bool {
	failure, ok := err.(*apiError)
	return ok && failure.status == http.StatusNotFound
}

// Calls an operation, again if it was refused for now.
func (c *client) call(ctx context.Context, operation string, input object) (object, error) {
	body, err := json.Marshal(input)
	if err != nil {
		return nil, err
	}
	pause := 200 * time.Millisecond
	for try := 1; ; try++ {
		answer, status, err := c.send(ctx, operation, body)
		if err == nil || try == triesMax || !mayRetry(status) {
			return answer, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(pause):
			pause *= 2
		}
	}
}

// No answer, too many calls, a call that was ended, and a control plane that starts or has no leader.
func mayRetry(status int) bool {
	return status == 0 || status == 429 || status == 499 || status == 502 || status == 503 || status == 504
}

func (c *client) send(ctx context.Context, operation string, body []byte) (object, int, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url+operation, bytes.NewReader(body))
	if err != nil {
		return nil, 0, err
	}
	req.Header.Set("service-api-key", c.token)
	req.Header.Set("content-type", "application/json")
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, 0, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, answerBytesMax))
	if err != nil {
		return nil, 0, err
	}
	if resp.StatusCode != http.StatusOK {
		failure := &apiError{operation: operation, status: resp.StatusCode}
		if json.Unmarshal(text, failure) != nil {
			failure.Message = string(text)
		}
		return nil, resp.StatusCode, failure
	}
	answer := object{}
	return answer, resp.StatusCode, json.Unmarshal(text, &answer)
}
